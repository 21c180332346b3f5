/**
 * Patterns that find a word in all its spellings: in any letter case, even where the number of letters differs (ß, SS),
 * and in both normal forms (ü, u with a combining diaeresis). The regular expression must ignore case letter by letter,
 * as in MongoDB and in JavaScript (`iu`).
 */

/**
 * Applies full case folding and NFC. A dotted capital I becomes i. The capital ß becomes ss only after it became the
 * small ß.
 */
const fold = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll('i\u0307', 'i')
    .normalize('NFC');

// The last letter of Unicode 17 that has a case.
const LAST_CASED = 0x1e943;
const LONGEST_FOLD = 3;

/** Maps a folded text to the letters that fold to it and that a letter-by-letter comparison would not find. */
let written: Map<string, string[]> | undefined;

function writtenAs(folded: string): string[] {
  written ??= findSpellings();
  return written.get(folded) ?? [];
}

function findSpellings(): Map<string, string[]> {
  const spellings = new Map<string, string[]>();
  for (let code = 0x80; code <= LAST_CASED; code++) {
    const letter = String.fromCodePoint(code);
    const folded = fold(letter);
    if (folded === letter || folded === letter.toLowerCase() || !/^[\p{L}\p{M}\p{N}]/u.test(letter)) continue;
    if ([...folded].length === 1 && new RegExp(`^${folded}$`, 'iu').test(letter)) continue;
    spellings.set(folded, [...(spellings.get(folded) ?? []), letter]);
  }
  return spellings;
}

// The database's regular expressions have no \u escapes, which RegExp.escape produces.
const literally = (text: string) =>
  text.replaceAll(/[^\p{L}\p{N}\p{M}]/gu, each => (/[!-~]/.test(each) ? `\\${each}` : each));

const either = (spellings: string[]): string =>
  spellings.length === 1 ? literally(spellings[0]!) : `(?:${spellings.map(literally).join('|')})`;

/** Returns the pattern of one folded letter in both normal forms. */
const oneLetter = (letter: string): string =>
  either([...new Set([letter, letter.normalize('NFD'), ...writtenAs(letter)])]);

/** Returns the words of a search, at most `max`. */
export const wordsOf = (search: string, max: number): string[] =>
  search
    .split(/[\s\0]+/u)
    .filter(Boolean)
    .slice(0, max);

/** Returns the pattern of a word. No character of the word has a special meaning in the pattern. */
export function patternOf(word: string): string {
  const letters = [...fold(word)];
  let pattern = '';
  for (let at = 0; at < letters.length; ) {
    const [length, spellings] = longestAt(letters, at);
    const single = letters
      .slice(at, at + length)
      .map(oneLetter)
      .join('');
    pattern += spellings.length === 0 ? single : `(?:${single}|${spellings.join('|')})`;
    at += length;
  }
  return pattern;
}

/** Returns how many of the folded letters from `at` on can also be written as one letter, and those single letters. */
function longestAt(letters: string[], at: number): [length: number, spellings: string[]] {
  for (let length = Math.min(LONGEST_FOLD, letters.length - at); length > 1; length--) {
    const spellings = writtenAs(letters.slice(at, at + length).join(''));
    if (spellings.length > 0) return [length, spellings];
  }
  return [1, []];
}
