import unittest

from cues import MAX_CHARS, MAX_S, cut_cues


def said(*words):
    return [{"word": word, "start": start, "end": end} for word, start, end in words]


def texts(cues):
    return [" ".join(word["word"] for word in cue) for cue in cues]


class CutCues(unittest.TestCase):
    def test_nothing_said(self):
        self.assertEqual(cut_cues([]), [])

    def test_a_pause_ends_a_cue_of_sensible_length(self):
        words = said(("a", 0.0, 0.6), ("b", 0.6, 1.2), ("c", 1.4, 1.8))
        self.assertEqual(texts(cut_cues(words)), ["a b", "c"])

    def test_a_short_pause_after_one_short_word_does_not(self):
        words = said(("well", 0.0, 0.3), ("yes", 0.55, 0.9))
        self.assertEqual(texts(cut_cues(words)), ["well yes"])

    def test_a_sentence_ends_a_cue_of_sensible_length(self):
        words = said(("Yes.", 0.0, 0.4), ("I", 0.4, 0.6), ("do.", 0.6, 1.2), ("Why?", 1.2, 1.8))
        self.assertEqual(texts(cut_cues(words)), ["Yes. I do.", "Why?"])

    def test_a_long_pause_always_does(self):
        words = said(("well", 0.0, 0.3), ("yes", 1.8, 2.1))
        self.assertEqual(texts(cut_cues(words)), ["well", "yes"])

    def test_speech_without_pauses_is_cut_evenly(self):
        words = said(*((f"word{i:02}", i * 0.4, i * 0.4 + 0.4) for i in range(40)))
        cues = cut_cues(words)
        self.assertEqual([word for cue in cues for word in cue], words)
        self.assertLessEqual(max(map(len, texts(cues))), MAX_CHARS)
        self.assertLessEqual(max(cue[-1]["end"] - cue[0]["start"] for cue in cues), MAX_S)
        self.assertLessEqual(max(map(len, cues)) - min(map(len, cues)), 1)


if __name__ == "__main__":
    unittest.main()
