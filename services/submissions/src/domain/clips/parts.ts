import type { StoredPart } from './submission.ts';

/** Yields, in order, the range of each part that lies within the `length` bytes from `offset` on. */
export function* rangesOf(
  parts: StoredPart[],
  offset: number,
  length: number,
): Generator<{ key: string; offset: number; length: number }> {
  let at = 0;
  for (const { key, size } of parts) {
    const from = Math.max(offset - at, 0);
    const to = Math.min(offset + length - at, size);
    if (from < to) yield { key, offset: from, length: to - from };
    at += size;
  }
}

/**
 * Returns at most `count` parts, starting with the part that contains the byte at `offset`; and the offset of that
 * part.
 */
export function partsFrom(parts: StoredPart[], offset: number, count: number): { parts: StoredPart[]; offset: number } {
  let at = 0;
  for (const [index, { size }] of parts.entries()) {
    if (offset < at + size) return { parts: parts.slice(index, index + count), offset: at };
    at += size;
  }
  return { parts: [], offset: at };
}
