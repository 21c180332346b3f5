/** Which records of a partition were taken, and which of those are not done yet. */
export interface PartitionProgress {
  /** Notes that a record is taken. Returns false when it was taken before: then there is nothing to do for it. */
  take(offset: bigint, bytes: number): boolean;
  done(offset: bigint): void;
  /**
   * Everything below is done: what can be committed. Undefined as long as nothing was read since `readAgain`: the group may
   * have committed more, by another member that had the partition meanwhile.
   */
  low(): bigint | undefined;
  /** Reading begins again at what the group has committed. */
  readAgain(): void;
  /** The records that are taken and not done. */
  pending(): { records: number; bytes: number };
  /** Starts over, and returns true, where the partition ends before a record that was taken from it: the topic was deleted and created. */
  startsOver(highWatermark: bigint): boolean;
}

/** Records are taken in the order of their offsets, each perhaps several times, and done in any order. */
export function createPartitionProgress(): PartitionProgress {
  // In the order in which they were taken, which is that of the offsets.
  const pending = new Map<bigint, number>();
  let next: bigint | undefined;
  // Where reading began: the group has committed no more than this.
  let begin: bigint | undefined;
  let bytes = 0;
  return {
    take(offset, size) {
      begin ??= offset;
      if (next !== undefined && offset < next) return false;
      next = offset + 1n;
      pending.set(offset, size);
      bytes += size;
      return true;
    },
    done(offset) {
      bytes -= pending.get(offset) ?? 0;
      pending.delete(offset);
    },
    low() {
      if (begin === undefined || next === undefined) return undefined;
      const [low = next] = pending.keys();
      return low < begin ? begin : low;
    },
    readAgain() {
      begin = undefined;
    },
    pending: () => ({ records: pending.size, bytes }),
    startsOver(highWatermark) {
      if (next === undefined || next <= highWatermark) return false;
      next = undefined;
      begin = undefined;
      pending.clear();
      bytes = 0;
      return true;
    },
  };
}
