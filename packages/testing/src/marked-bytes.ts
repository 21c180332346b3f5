/** The owners that tests distinguish by their bytes. */
export type Mark = 'ada' | 'ben';

const HIGH_BIT: Record<Mark, number> = { ada: 0x00, ben: 0x80 };
const STEP = 31;

/** Returns `size` bytes. The highest bit of each byte shows its owner, and the other bits show its position. */
export function markedBytes(mark: Mark, name: string, size: number): Buffer {
  let state = [...name].reduce((sum, letter) => (sum * STEP + letter.charCodeAt(0)) >>> 0, 1);
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = HIGH_BIT[mark] | (state >>> 25);
  }
  return bytes;
}

/** Returns how many of `bytes` do not belong to the owner of `mark`. */
export const bytesOfOthers = (mark: Mark, bytes: Buffer): number =>
  bytes.reduce((count, byte) => count + ((byte & 0x80) === HIGH_BIT[mark] ? 0 : 1), 0);
