"""PocketSphinx: recognises only English, small and fast, without punctuation."""

import array

from audio import RATE
from pieces import cut_pieces

# PocketSphinx needs utterances, not hours of audio.
UTTERANCE_MIN_S, UTTERANCE_MAX_S = 15, 30
# In digital silence the recogniser hears "ah" for seconds. A real word is audible (peak above -54 dBFS) and shorter.
AUDIBLE_PEAK = 64
WORD_MAX_S = 3.0


class Sphinx:
    def __init__(self):
        from pocketsphinx import Decoder

        self.decoder = Decoder(samprate=RATE, loglevel="FATAL")
        self.first_cmn = self.decoder.get_cmn(False)

    def recognise(self, path, _language):
        """Returns (words, code of the language) of an s16le file."""
        # The decoder adapts to a speaker's channel, which would change the words of the next speaker.
        self.decoder.set_cmn(self.first_cmn)
        with open(path, "rb") as file:
            pcm = file.read()
        words = []
        for start, end in cut_pieces(len(pcm) // 2, loudness_of(pcm), RATE, UTTERANCE_MIN_S, UTTERANCE_MAX_S):
            words += decode(self.decoder, pcm[start * 2 : end * 2], start / RATE)
        return words, "en"


def loudness_of(pcm):
    # Every fourth sample suffices to measure loudness.
    return lambda start, end: sum(abs(sample) for sample in array.array("h", pcm[start * 2 : end * 2])[::4])


def decode(decoder, pcm, offset_s):
    decoder.start_utt()
    decoder.process_raw(pcm, full_utt=True)
    decoder.end_utt()
    frame_s = 1 / decoder.config["frate"]
    words = []
    for piece in decoder.seg() or []:
        # Tokens such as <s>, <sil>, [NOISE] and ++UH++ are not words; "to(2)" is the second pronunciation of "to".
        if piece.word[0] in "<[+":
            continue
        if not plausible(pcm, piece.start_frame * frame_s, (piece.end_frame + 1) * frame_s):
            continue
        words.append(
            {
                "word": piece.word.partition("(")[0],
                "lead": " ",
                "start": round(offset_s + piece.start_frame * frame_s, 2),
                "end": round(offset_s + (piece.end_frame + 1) * frame_s, 2),
                "probability": min(max(piece.prob, 1e-9), 1.0),
            }
        )
    return words


def plausible(pcm, start_s, end_s):
    span = pcm[int(start_s * RATE) * 2 : int(end_s * RATE) * 2]
    return end_s - start_s <= WORD_MAX_S and max(map(abs, array.array("h", span)), default=0) > AUDIBLE_PEAK
