"""The response formats of OpenAI's transcription API."""

import json
import math
import zlib

from languages import NAMES

FORMATS = ("json", "text", "verbose_json", "vtt")


def write(wanted, words, cues, duration, language):
    """Returns (content type, text) of the response in the requested (format, granularities)."""
    form, grains = wanted
    text = said([word for cue in cues for word in cue])
    if form == "text":
        return "text/plain; charset=utf-8", text + "\n"
    if form == "vtt":
        return "text/vtt; charset=utf-8", vtt(cues)
    if form == "json":
        return "application/json", json.dumps({"text": text})
    answer = {"task": "transcribe", "language": NAMES.get(language, language or ""), "duration": round(duration, 3), "text": text}
    if "word" in grains:
        answer["words"] = [{key: word[key] for key in ("word", "start", "end")} for word in words]
    if "segment" in grains:
        answer["segments"] = [segment(index, cue) for index, cue in enumerate(cues)]
    return "application/json", json.dumps(answer)


def said(cue):
    return "".join(word["lead"] + word["word"] for word in cue).strip()


def segment(index, cue):
    start, end, text = cue[0]["start"], cue[-1]["end"], said(cue)
    spoken = sum(word["end"] - word["start"] for word in cue)
    return {
        "id": index,
        "seek": int(start * 100),
        "start": start,
        "end": end,
        "text": text,
        # Whisper's token ids, which the server does not keep.
        "tokens": [],
        "temperature": 0.0,
        "avg_logprob": round(sum(math.log(word["probability"]) for word in cue) / len(cue), 4),
        "compression_ratio": round(len(text.encode()) / len(zlib.compress(text.encode())), 4),
        # The share of the cue's time that contains no word.
        "no_speech_prob": round(min(max(1 - spoken / (end - start), 0.0), 1.0), 4) if end > start else 0.0,
    }


def vtt(cues):
    blocks = [f"{clock(cue[0]['start'])} --> {clock(cue[-1]['end'])}\n{said(cue)}\n" for cue in cues]
    return "\n".join(["WEBVTT\n", *blocks])


def clock(seconds):
    millis = round(seconds * 1000)
    return f"{millis // 3600000:02}:{millis // 60000 % 60:02}:{millis // 1000 % 60:02}.{millis % 1000:03}"
