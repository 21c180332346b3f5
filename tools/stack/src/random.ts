import { createHash } from 'node:crypto';

/** Random numbers from a seed. The same seed gives the same run, as far as the timing of the machine allows. */
export interface Random {
  /** Returns a number from 0 to below 1. */
  next(): number;
  /** Returns an integer from `from` to `to`, both included. */
  integer(from: number, to: number): number;
  pick<T>(items: readonly T[]): T;
  /** Returns true with this probability, 0 to 1. */
  chance(share: number): boolean;
  bytes(length: number): Buffer;
  /**
   * Returns an independent sequence for a part of the run, so that the number of draws in one part does not change
   * another part.
   */
  fork(name: string): Random;
}

export function createRandom(seed: string): Random {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  // Mulberry32: small, and good enough to choose moments with.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    integer,
    pick: items => items[integer(0, items.length - 1)]!,
    chance: share => next() < share,
    bytes: length => Buffer.from(Array.from({ length }, () => integer(0, 255))),
    fork: name => createRandom(`${seed}/${name}`),
  };
}
