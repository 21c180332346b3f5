"""Groups words with times into cues short enough to read."""

PAUSE_S = 0.2
# A short pause does not end a cue that is shorter than this, because single words would flicker.
SENSIBLE_S = 1.0
LONG_PAUSE_S = 1.5
SENTENCE_ENDS = (".", "?", "!", "…", "。", "？", "！", "।", "؟")
MAX_S = 7.0
MAX_CHARS = 80


def cut_cues(words):
    """Returns lists of consecutive words, one per cue. Cuts at pauses and after sentences, and cuts longer cues into even
    pieces."""
    phrases = []
    for word in words:
        if phrases and not pauses_before(phrases[-1], word):
            phrases[-1].append(word)
        else:
            phrases.append([word])
    return [cue for phrase in phrases for cue in shorten(phrase)]


def pauses_before(phrase, word):
    # Rounds to hundredths: without rounding, 1.4 - 1.2 is less than 0.2.
    pause = round(word["start"] - phrase[-1]["end"], 3)
    said_s = phrase[-1]["end"] - phrase[0]["start"]
    parts = pause >= PAUSE_S or phrase[-1]["word"].endswith(SENTENCE_ENDS)
    return pause >= LONG_PAUSE_S or (parts and said_s >= SENSIBLE_S)


def shorten(phrase):
    """Returns the smallest number of even pieces that all fit. Pieces of the maximum length would leave single words at the end."""
    for count in range(1, len(phrase)):
        pieces = divide(phrase, count)
        if all(fits(piece) for piece in pieces):
            return pieces
    return [[word] for word in phrase]


def divide(phrase, count):
    total = sum(len(word["word"]) + 1 for word in phrase)
    pieces = [[] for _ in range(count)]
    before = 0
    for word in phrase:
        size = len(word["word"]) + 1
        pieces[int((before + size / 2) * count / total)].append(word)
        before += size
    return [piece for piece in pieces if piece]


def fits(piece):
    seconds = piece[-1]["end"] - piece[0]["start"]
    return seconds <= MAX_S and sum(len(word["word"]) + 1 for word in piece) - 1 <= MAX_CHARS
