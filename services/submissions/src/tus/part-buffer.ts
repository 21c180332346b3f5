import type { ByteBudget } from '@recording-request/kit/fair-budget';

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

  /** `first` bytes of room are the caller's already: they stay when all that was lent is given back. */
  constructor(budget: ByteBudget, max: number, first = FIRST_ROOM_BYTES) {
    this.budget = budget;
    this.max = max;
    this.first = Math.min(first, max);
    this.bytes = new ArrayBuffer(this.first, { maxByteLength: max });
  }

  get isFull(): boolean {
    return this.length === this.max;
  }

  get room(): number {
    return this.bytes.byteLength;
  }

  /**
   * Takes `room` at once, or keeps it, while less than half of the budget is lent. Else gives back what was lent to it
   * and returns false.
   */
  reserve(room: number): boolean {
    const more = Math.max(0, Math.min(room, this.max) - this.room);
    if (this.borrow(more, this.budget.limit / 2)) return true;
    this.shrink();
    return false;
  }

  /** Copies as much of `chunk` as there is room for. Returns how many bytes that was. */
  add(chunk: Buffer): number {
    while (this.room - this.length < chunk.length && this.grow());
    const part = chunk.subarray(0, this.room - this.length);
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
    this.budget.giveBack(this.room - this.first);
    this.bytes.resize(this.first);
  }

  /** As `shrink`, for bytes that a request which failed may still be reading: they stay until that is over. */
  abandon(): void {
    this.length = 0;
    this.budget.giveBack(this.room - this.first);
    this.bytes = new ArrayBuffer(this.first, { maxByteLength: this.max });
  }

  /** What others need to begin is not lent to those that have begun. */
  private grow(): boolean {
    const more = Math.min(this.room, this.max - this.room);
    return more > 0 && this.borrow(more, this.budget.limit / 4);
  }

  /** Takes `more` bytes of room, if `kept` stay free. */
  private borrow(more: number, kept: number): boolean {
    if (this.budget.free - more < kept || !this.budget.take(more)) return false;
    if (more > 0) this.bytes.resize(this.room + more);
    return true;
  }
}
