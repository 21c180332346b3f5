/**
 * A word with its punctuation, or in a script without spaces a part of a word. A caption can break only between two
 * pieces.
 */
export interface Piece {
  text: string;
  /** Measured in units of `LINE_UNITS`. */
  width: number;
  /** True if a space precedes the piece. */
  isSpaced: boolean;
  /** The cost of a break after the piece, from 0 (after a sentence) to 10 (inside a word). */
  breakCost: number;
}

// A line has at most 42 letters or, as is usual for Chinese and Korean, 16 full-width characters.
const LINE_LETTERS = 42;
const LINE_WIDE = 16;
/** The maximum width of a caption line. */
export const LINE_UNITS = LINE_LETTERS * LINE_WIDE;
const LETTER = LINE_UNITS / LINE_LETTERS;
const WIDE = LINE_UNITS / LINE_WIDE;

const FULL_WIDTH =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Yi}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;
// The scripts that have no spaces between words.
const WITHOUT_BLANKS = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

const CLOSING = /^[\p{Pe}\p{Pf}!?;:…%.,·、。，！？；：؟،؛]+$/u;
const OPENING = /^[\p{Ps}\p{Pi}¿¡]+$/u;
const SENTENCE_END = /[.?!…。！？｡؟۔।]["'\p{Pe}\p{Pf}]*$/u;
const CLAUSE_END = /[,;:，、；：､،؛—–]["'\p{Pe}\p{Pf}]*$/u;

const wordsIn = new Intl.Segmenter('en', { granularity: 'word' });
const charactersIn = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Returns the text on one line without control characters, because an empty line would end a cue. */
export const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\s\u0085]+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .replace(/ {2,}/g, ' ')
    .trim();

/** Returns the pieces of a single-line text. Each piece fits into a line. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const word of text.split(' ')) {
    const last = pieces.at(-1);
    // In French a space precedes some punctuation; a line must not begin with this punctuation.
    if (last && CLOSING.test(word) && last.width + LETTER + widthOf(word) <= LINE_UNITS) {
      pieces[pieces.length - 1] = pieceOf(`${last.text} ${word}`, last.isSpaced);
      continue;
    }
    const parts = partsOf(word);
    for (const [at, { text, isCut }] of parts.entries()) {
      const piece = pieceOf(text, at === 0);
      pieces.push(isCut ? { ...piece, breakCost: 10 } : piece);
    }
  }
  return pieces;
}

/** Returns the text of consecutive pieces. */
export const textOf = (pieces: Piece[]): string =>
  pieces.reduce((text, piece) => text + (text !== '' && piece.isSpaced ? ' ' : '') + piece.text, '');

/** Returns the width of a line after one more piece; a width of 0 means an empty line. */
export const widthWith = (line: number, { width, isSpaced }: Piece): number =>
  line + (line > 0 && isSpaced ? LETTER : 0) + width;

/**
 * Returns the text of pieces that fit into two lines. Breaks the lines at the best place: after a phrase, or else near
 * the middle.
 */
export function twoLines(pieces: Piece[]): string {
  const rest: number[] = [];
  for (let at = pieces.length - 1, width = 0; at >= 0; at -= 1) {
    width += pieces[at]!.width;
    rest[at] = width;
    if (pieces[at]!.isSpaced) width += LETTER;
  }
  if (rest[0]! <= LINE_UNITS) return textOf(pieces);
  let best = { at: 0, cost: Number.POSITIVE_INFINITY };
  for (let at = 1, line = 0; at < pieces.length; at += 1) {
    line = widthWith(line, pieces[at - 1]!);
    if (line > LINE_UNITS) break;
    if (rest[at]! > LINE_UNITS) continue;
    const cost = pieces[at - 1]!.breakCost + (2 * Math.abs(line - rest[at]!)) / LINE_UNITS;
    if (cost < best.cost) best = { at, cost };
  }
  return `${textOf(pieces.slice(0, best.at))}\n${textOf(pieces.slice(best.at))}`;
}

/** Wraps a text of any length into lines that are as full as possible. */
export function wrapped(text: string): string {
  const lines: Piece[][] = [];
  let width = Number.POSITIVE_INFINITY;
  for (const piece of piecesOf(text)) {
    width = widthWith(width, piece);
    if (width <= LINE_UNITS) {
      lines.at(-1)!.push(piece);
      continue;
    }
    lines.push([piece]);
    width = piece.width;
  }
  return lines.map(textOf).join('\n');
}

function pieceOf(text: string, isSpaced: boolean): Piece {
  const breakCost = SENTENCE_END.test(text) ? 0 : CLAUSE_END.test(text) ? 0.5 : 2;
  return { text, width: widthOf(text), isSpaced, breakCost };
}

function partsOf(word: string): { text: string; isCut: boolean }[] {
  if (widthOf(word) <= LINE_UNITS && !WITHOUT_BLANKS.test(word)) return [{ text: word, isCut: false }];
  const parts: string[] = [];
  let isOpen = false;
  for (const { segment } of wordsIn.segment(word)) {
    const opens = OPENING.test(segment);
    const joins = isOpen || (!opens && /^[^\p{L}\p{N}]+$/u.test(segment));
    if (joins && parts.length > 0) parts[parts.length - 1] += segment;
    else parts.push(segment);
    isOpen = opens;
  }
  return parts.flatMap(part => {
    const cut = chunksOf(part);
    return cut.map((text, at) => ({ text, isCut: at < cut.length - 1 }));
  });
}

/**
 * Returns the pieces of a part, each at most as wide as a line. Cuts between visible characters, or between the code
 * points of a character that is wider than a line.
 */
function chunksOf(part: string): string[] {
  if (widthOf(part) <= LINE_UNITS) return [part];
  const chunks: string[] = [];
  let width = Number.POSITIVE_INFINITY;
  const add = (text: string) => {
    width += widthOf(text);
    if (width <= LINE_UNITS) {
      chunks[chunks.length - 1] += text;
      return;
    }
    chunks.push(text);
    width = widthOf(text);
  };
  for (const { segment } of charactersIn.segment(part)) {
    if (widthOf(segment) <= LINE_UNITS) add(segment);
    else for (const codePoint of segment) add(codePoint);
  }
  return chunks;
}

function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += FULL_WIDTH.test(character) ? WIDE : LETTER;
  return width;
}
