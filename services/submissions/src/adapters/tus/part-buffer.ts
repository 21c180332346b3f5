import type { ByteBudget } from '@recording-request/kit/memory-limit';

/** What a request that sends bytes may use from its beginning on; the budget lends it when it is admitted. */
export const FIRST_ROOM_BYTES = 64 * 1024;

/**
 * Collects the bytes of one request until they are stored. Its room doubles as they come, as far as the budget has more
 * to lend, and goes back to the system at once when it is given back: it does not wait for the garbage collector.
 */
export class PartBuffer {
  length = 0;
  private bytes: ArrayBuffer;
  private readonly budget: ByteBudget;
  private readonly first: number;
  private readonly max: number;
  /** What others need to begin is not lent to those that have begun. */
  private readonly kept: number;

  constructor(budget: ByteBudget, max: number) {
    this.budget = budget;
    this.max = max;
    this.first = Math.min(FIRST_ROOM_BYTES, max);
    this.kept = budget.limit / 4;
    this.bytes = new ArrayBuffer(this.first, { maxByteLength: max });
  }

  get isFull(): boolean {
    return this.length === this.max;
  }

  /** Copies as much of `chunk` as there is room for. Returns how many bytes that was. */
  add(chunk: Buffer): number {
    while (this.bytes.byteLength - this.length < chunk.length && this.grow());
    const part = chunk.subarray(0, this.bytes.byteLength - this.length);
    new Uint8Array(this.bytes).set(part, this.length);
    this.length += part.length;
    return part.length;
  }

  /** A view of what was collected, valid until the buffer is changed. */
  view(): Buffer {
    return Buffer.from(this.bytes, 0, this.length);
  }

  /** Begins again with the room that it has. */
  clear(): void {
    this.length = 0;
  }

  /** Begins again with the first room, and gives the rest back. */
  shrink(): void {
    this.length = 0;
    this.budget.giveBack(this.bytes.byteLength - this.first);
    this.bytes.resize(this.first);
  }

  /** As `shrink`, for bytes that a request which failed may still be reading: they stay until that is over. */
  abandon(): void {
    this.length = 0;
    this.budget.giveBack(this.bytes.byteLength - this.first);
    this.bytes = new ArrayBuffer(this.first, { maxByteLength: this.max });
  }

  private grow(): boolean {
    const more = Math.min(this.bytes.byteLength, this.max - this.bytes.byteLength);
    if (more === 0 || this.budget.free - more < this.kept || !this.budget.take(more)) return false;
    this.bytes.resize(this.bytes.byteLength + more);
    return true;
  }
}
