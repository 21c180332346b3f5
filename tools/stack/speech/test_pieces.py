import unittest

from pieces import cut_pieces

RATE = 100


def pieces(length_s, quiet_at_s):
    quiet = [(at * RATE, (at + 1) * RATE) for at in quiet_at_s]

    def loudness(start, end):
        return sum(1 for sample in range(start, end) if not any(begin <= sample < stop for begin, stop in quiet))

    return list(cut_pieces(int(length_s * RATE), loudness, RATE, 240, 300))


class CutPieces(unittest.TestCase):
    def test_short_audio_is_one_piece(self):
        self.assertEqual(pieces(300, []), [(0, 300 * RATE)])
        self.assertEqual(pieces(0, []), [])

    def test_long_audio_is_cut_in_its_pauses_and_none_is_lost(self):
        cut = pieces(700, [250, 520])
        self.assertEqual([cut[0][0], cut[-1][1]], [0, 700 * RATE])
        for (_, end), (start, _) in zip(cut, cut[1:]):
            self.assertEqual(end, start)
        self.assertEqual([end // RATE for _, end in cut[:-1]], [250, 520])

    def test_without_a_pause_it_is_cut_all_the_same(self):
        self.assertLessEqual(max(end - start for start, end in pieces(3600, [])), 300 * RATE)


if __name__ == "__main__":
    unittest.main()
