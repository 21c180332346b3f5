"""One recogniser. Reads lines {"pcm": path}, writes a line {"words": […]} or {"error": …} for each; ends with its input."""

import array
import ctypes
import json
import os
import signal
import sys

from audio import BYTES_PER_SECOND, RATE

# PocketSphinx needs utterances, not hours: longer audio is cut at its quietest moment between these two.
UTTERANCE_MIN_S, UTTERANCE_MAX_S = 15, 30
QUIET_S = 0.3
PR_SET_PDEATHSIG = 1
# In digital silence the recogniser hears "ah" for seconds. A real word is audible (peak above -54 dBFS) and not that long.
AUDIBLE_PEAK = 64
WORD_MAX_S = 3.0


def main():
    die_with(int(sys.argv[1]))
    # The library's C code prints to stdout too: what is not a response goes to the log.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    from pocketsphinx import Decoder

    decoder = Decoder(samprate=RATE, loglevel="FATAL")
    first_cmn = decoder.get_cmn(False)
    print(json.dumps({"ready": True}), file=answers)
    for line in sys.stdin:
        try:
            # The decoder's adaptation to the last speaker's channel would change this one's words.
            decoder.set_cmn(first_cmn)
            reply = {"words": words_of(decoder, json.loads(line)["pcm"])}
        except Exception as error:
            reply = {"error": repr(error)}
        print(json.dumps(reply), file=answers)


def die_with(parent):
    """Has the kernel kill this process when the parent's starting thread ends: while it decodes it cannot see its input end."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        return
    if os.getppid() != parent:
        sys.exit()


def words_of(decoder, path):
    words = []
    with open(path, "rb") as file:
        pcm = file.read()
    at = 0
    while at < len(pcm):
        end = utterance_end(pcm, at)
        words += decode(decoder, pcm[at:end], at / BYTES_PER_SECOND)
        at = end
    return words


def utterance_end(pcm, at):
    """Returns the byte offset at which the utterance that begins at `at` ends."""
    if len(pcm) - at <= UTTERANCE_MAX_S * BYTES_PER_SECOND:
        return len(pcm)
    begin = at + UTTERANCE_MIN_S * BYTES_PER_SECOND
    end = at + UTTERANCE_MAX_S * BYTES_PER_SECOND
    step = int(QUIET_S / 3 * RATE) * 2
    loudness = []
    for offset in range(begin, end, step):
        samples = array.array("h", pcm[offset : offset + step])
        # Every fourth sample suffices to measure loudness.
        loudness.append(sum(abs(sample) for sample in samples[::4]))
    quietest = min(range(len(loudness) - 2), key=lambda i: sum(loudness[i : i + 3]))
    return begin + quietest * step + step // 4 * 2 * 3


def decode(decoder, pcm, offset_s):
    decoder.start_utt()
    decoder.process_raw(pcm, full_utt=True)
    decoder.end_utt()
    frame_s = 1 / decoder.config["frate"]
    words = []
    for piece in decoder.seg() or []:
        # <s>, <sil>, [NOISE], ++UH++ are no words; "to(2)" is the second way to say "to".
        if piece.word[0] in "<[+":
            continue
        if not plausible(pcm, piece.start_frame * frame_s, (piece.end_frame + 1) * frame_s):
            continue
        words.append(
            {
                "word": piece.word.partition("(")[0],
                "start": round(offset_s + piece.start_frame * frame_s, 2),
                "end": round(offset_s + (piece.end_frame + 1) * frame_s, 2),
                "probability": min(max(piece.prob, 1e-9), 1.0),
            }
        )
    return words


def plausible(pcm, start_s, end_s):
    span = pcm[int(start_s * RATE) * 2 : int(end_s * RATE) * 2]
    return end_s - start_s <= WORD_MAX_S and max(map(abs, array.array("h", span)), default=0) > AUDIBLE_PEAK


if __name__ == "__main__":
    main()
