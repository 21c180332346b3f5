"""Converts an upload to 16 kHz mono samples with ffmpeg."""

import os
import subprocess

RATE = 16000
BYTES_PER_SECOND = RATE * 2
MAX_AUDIO_S = 3600
FFMPEG_LIMIT_S = 180


class UnreadableAudio(ValueError):
    """The upload has no audio that ffmpeg can read; the message is for the client."""


def decode(source, folder):
    """Returns (path of an s16le file, its length in seconds). Raises UnreadableAudio."""
    pcm = os.path.join(folder, "audio.s16le")
    guards = ["-nostdin", "-v", "error", "-protocol_whitelist", "file"]
    sound = ["-vn", "-sn", "-dn", "-map", "0:a:0", "-ac", "1", "-ar", str(RATE), "-t", str(MAX_AUDIO_S + 1), "-f", "s16le"]
    command = ["ffmpeg", *guards, "-i", "file:" + source, *sound, "file:" + pcm]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=FFMPEG_LIMIT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise UnreadableAudio("The audio took too long to decode.") from error
    size = os.path.getsize(pcm) if os.path.exists(pcm) else 0
    # Rejects a broken file as a whole, because the transcript of a part would look complete.
    if done.returncode != 0 or size == 0:
        raise UnreadableAudio("The audio file could not be decoded or its format is not supported.")
    seconds = size / BYTES_PER_SECOND
    if seconds > MAX_AUDIO_S:
        raise UnreadableAudio(f"Audio longer than {MAX_AUDIO_S} seconds is not supported.")
    return pcm, seconds
