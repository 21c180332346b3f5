"""One recogniser process. Reads lines {"pcm": path, "language": code or null}. Writes {"words": […], "language": code or null}
or {"error": …} for each line. Ends when its input ends. SPEECH_ENGINE selects whisper or pocketsphinx."""

import ctypes
import json
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main():
    die_with(int(sys.argv[1]))
    # The libraries' C code also prints to stdout, so only responses go there; everything else goes to the log.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    recogniser = load()
    print(json.dumps({"ready": True}), file=answers)
    for line in sys.stdin:
        try:
            request = json.loads(line)
            words, language = recogniser.recognise(request["pcm"], request["language"])
            reply = {"words": words, "language": language}
        except Exception as error:
            reply = {"error": repr(error)}
        print(json.dumps(reply), file=answers)


def load():
    if os.environ.get("SPEECH_ENGINE") == "whisper":
        from whisper import Whisper

        return Whisper()
    from sphinx import Sphinx

    return Sphinx()


def die_with(parent):
    """Makes the kernel kill this process when the parent's starting thread ends: while decoding, it cannot notice the end of its
    input."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        return
    if os.getppid() != parent:
        sys.exit()


if __name__ == "__main__":
    main()
