"""Whisper (base, many languages) over CTranslate2, with Silero's voice detection: without it, Whisper invents words in noise."""

import os
import sys
import types

from audio import RATE
from languages import WHISPER_CODES
from pieces import cut_pieces

# Whisper's features take 0.8 GB for ten minutes of audio and 3.5 GB for an hour.
PIECE_MIN_S, PIECE_MAX_S = 240, 300
VOICE = {"min_silence_duration_ms": 500}
# Below this length, Whisper often mistakes the language.
SURE = 0.5
ISO_CODES = {own: code for code, own in WHISPER_CODES.items()}


class Whisper:
    def __init__(self):
        os.environ["HF_HUB_OFFLINE"] = "1"
        # The library imports these to read files and download models, which this server does not need. Skipping them saves 44 MB.
        for name in ("av", "huggingface_hub"):
            sys.modules.setdefault(name, types.ModuleType(name))
        import numpy
        from faster_whisper import WhisperModel
        from faster_whisper.vad import VadOptions, get_speech_timestamps

        self.numpy = numpy
        self.voice_in = lambda samples: get_speech_timestamps(samples, VadOptions(**VOICE))
        self.model = WhisperModel(os.environ["SPEECH_MODEL_DIR"], device="cpu", compute_type="int8", cpu_threads=1)
        self.likely = os.environ.get("SPEECH_LANGUAGE", "en")

    def recognise(self, path, language):
        """Returns (words, code of the language or None) of an s16le file."""
        pcm = self.numpy.memmap(path, dtype=self.numpy.int16, mode="r")
        words, heard = [], language
        for start, end in cut_pieces(len(pcm), self.loudness(pcm), RATE, PIECE_MIN_S, PIECE_MAX_S):
            samples = pcm[start:end].astype(self.numpy.float32) / 32768
            if not self.voice_in(samples):
                continue
            segments, heard = self.segments(samples, language or heard)
            words += [word_of(word, start / RATE) for segment in segments for word in segment.words or []]
        return [word for word in words if word["word"]], heard

    def segments(self, samples, language):
        segments, info = self.transcribe(samples, language)
        # The library computes segments only when they are read. If the language is unlikely, the first request has cost only
        # its detection.
        if not language and self.likely and info.language != self.likely and info.language_probability < SURE:
            segments, info = self.transcribe(samples, self.likely)
        return list(segments), ISO_CODES.get(info.language, info.language)

    def transcribe(self, samples, language):
        options = {"beam_size": 5, "word_timestamps": True, "condition_on_previous_text": False}
        named = WHISPER_CODES.get(language, language)
        return self.model.transcribe(samples, language=named, vad_filter=True, vad_parameters=VOICE, **options)

    def loudness(self, pcm):
        return lambda start, end: float(self.numpy.abs(pcm[start:end].astype(self.numpy.int32)).sum())


def word_of(word, offset_s):
    return {
        "word": word.word.strip(),
        # Some languages put no space between words.
        "lead": " " if word.word.startswith(" ") else "",
        "start": round(offset_s + float(word.start), 2),
        "end": round(offset_s + float(word.end), 2),
        "probability": min(max(float(word.probability), 1e-9), 1.0),
    }
