"""Cuts long audio at its quietest points, so that each piece fits into a recogniser's memory and no word is cut."""

QUIET_S = 0.3


def cut_pieces(length, loudness, rate, min_s, max_s):
    """Yields (start, end), in samples, of pieces of `min_s` to `max_s` seconds; the last one may be shorter.

    `loudness(start, end)` returns a number that grows with the loudness of these samples.
    """
    start = 0
    while length - start > max_s * rate:
        end = quietest(start + min_s * rate, start + max_s * rate, loudness, rate)
        yield start, end
        start = end
    if length > start:
        yield start, length


def quietest(begin, end, loudness, rate):
    step = int(QUIET_S / 3 * rate)
    steps = [loudness(at, at + step) for at in range(begin, end - step + 1, step)]
    at = min(range(len(steps) - 2), key=lambda i: sum(steps[i : i + 3]))
    return begin + at * step + step * 3 // 2
