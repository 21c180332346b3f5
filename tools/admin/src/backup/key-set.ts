import { hash } from 'node:crypto';

/** A set of keys in eight bytes of memory for each key. */
export interface KeySet {
  add(key: string): void;
  /** Returns whether the key was added. With N keys in the set, the result is wrongly true for one in 2⁶⁴ / N keys. */
  has(key: string): boolean;
}

const FIRST_LENGTH = 1_024;

export function createKeySet(): KeySet {
  let hashes = new BigUint64Array(FIRST_LENGTH);
  let count = 0;
  let isSorted = true;
  return {
    add(key) {
      if (count === hashes.length) {
        const longer = new BigUint64Array(hashes.length * 2);
        longer.set(hashes);
        hashes = longer;
      }
      hashes[count] = hashOf(key);
      count += 1;
      isSorted = false;
    },
    has(key) {
      if (!isSorted) hashes.subarray(0, count).sort();
      isSorted = true;
      const wanted = hashOf(key);
      let [low, high] = [0, count];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (hashes[middle]! < wanted) low = middle + 1;
        else high = middle;
      }
      return low < count && hashes[low] === wanted;
    },
  };
}

const hashOf = (key: string): bigint => hash('sha256', key, 'buffer').readBigUInt64LE();
