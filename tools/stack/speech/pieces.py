"""Cuts long audio where it is quietest, so that a recogniser gets pieces that it can hold and no word is cut."""

QUIET_S = 0.3


def cut_pieces(length, loudness, rate, min_s, max_s):
    """Yields (start, end) in samples of pieces of `min_s` to `max_s` seconds; the last one may be shorter.

    `loudness(start, end)` is a number that grows with how loud those samples are.
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
