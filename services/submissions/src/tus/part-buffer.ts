import type { ByteBudget } from '@recording-request/kit/fair-budget';

/**
 * The buffer memory ("room") that each request with bytes has from the start. The server reserves it when it admits the
 * request.
 */
export const FIRST_ROOM_BYTES = 64 * 1024;

/**
 * Collects the bytes of one request until they are stored. Its room doubles as bytes arrive, while the budget can lend
 * more. Returned room is freed at once, without a garbage collection.
 */
export class PartBuffer {
  length = 0;
  private bytes: ArrayBuffer;
  private readonly budget: ByteBudget;
  private readonly first: number;
  private readonly max: number;

  /** The first `first` bytes of room belong to the caller. They remain when the lent room is returned. */
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
   * Reserves `room` bytes if at least half of the budget then stays free. Otherwise returns the lent room to the budget
   * and returns false.
   */
  reserve(room: number): boolean {
    const more = Math.max(0, Math.min(room, this.max) - this.room);
    if (this.borrow(more, this.budget.limit / 2)) return true;
    this.shrink();
    return false;
  }

  /** Copies as much of `chunk` as fits. Returns the number of copied bytes. */
  add(chunk: Buffer): number {
    while (this.room - this.length < chunk.length && this.grow());
    const part = chunk.subarray(0, this.room - this.length);
    new Uint8Array(this.bytes).set(part, this.length);
    this.length += part.length;
    return part.length;
  }

  /** Returns the collected bytes without a copy. They are valid until the buffer changes. */
  view(): Buffer {
    return Buffer.from(this.bytes, 0, this.length);
  }

  /** Empties the buffer but keeps its room. */
  clear(): void {
    this.length = 0;
  }

  /** Empties the buffer and returns the lent room to the budget. */
  shrink(): void {
    this.length = 0;
    this.budget.giveBack(this.room - this.first);
    this.bytes.resize(this.first);
  }

  /**
   * Does the same as `shrink`, but does not overwrite the bytes, because a failed request to the store may still be
   * reading them.
   */
  abandon(): void {
    this.length = 0;
    this.budget.giveBack(this.room - this.first);
    this.bytes = new ArrayBuffer(this.first, { maxByteLength: this.max });
  }

  /** Doubles the room. A quarter of the budget stays free for requests that begin. */
  private grow(): boolean {
    const more = Math.min(this.room, this.max - this.room);
    return more > 0 && this.borrow(more, this.budget.limit / 4);
  }

  /** Borrows `more` bytes of room if `kept` bytes stay free. */
  private borrow(more: number, kept: number): boolean {
    if (this.budget.free - more < kept || !this.budget.take(more)) return false;
    if (more > 0) this.bytes.resize(this.room + more);
    return true;
  }
}
