/** Tracks the records that were taken from a partition, and which of them are done. */
export interface PartitionProgress {
  /** Notes that a record is taken. Returns false when the record was taken before, so that the caller skips it. */
  take(offset: bigint, bytes: number): boolean;
  done(offset: bigint): void;
  /**
   * Returns the offset to commit: all records below it are done. After `readAgain`, returns undefined until a record is
   * read, because another member may have committed a higher offset.
   */
  low(): bigint | undefined;
  /** Notes that reading restarts at the group's committed offset. */
  readAgain(): void;
  /** The records that are taken and not done. */
  pending(): { records: number; bytes: number };
  /**
   * Returns whether the partition ends before a taken record: the topic was deleted and created again. If so, resets
   * the progress.
   */
  startsOver(highWatermark: bigint): boolean;
}

/**
 * The caller takes records in the order of their offsets, some of them several times, and finishes them in any order.
 */
export function createPartitionProgress(): PartitionProgress {
  // Sizes by offset, in the order of the offsets.
  const pending = new Map<bigint, number>();
  let next: bigint | undefined;
  // The offset where reading began. The group has committed nothing beyond this offset.
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
