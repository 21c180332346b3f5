const ID_BYTES = 16;
const FIRST_LENGTH = 64;

/** A list of UUIDs with 16 bytes each, so that the ids of 100,000 clips take 1.6 MB. */
export class IdList {
  #bytes = Buffer.alloc(FIRST_LENGTH * ID_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(id: string): void {
    const at = this.#length * ID_BYTES;
    if (at === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)]);
    this.#bytes.write(id.replaceAll('-', ''), at, 'hex');
    this.#length += 1;
  }

  /** Returns at most `count` ids from position `start` on, in lower case. */
  slice(start: number, count: number): string[] {
    const end = Math.min(start + count, this.#length);
    return Array.from({ length: Math.max(0, end - start) }, (_, index) => this.#idAt(start + index));
  }

  #idAt(index: number): string {
    const hex = this.#bytes.toString('hex', index * ID_BYTES, (index + 1) * ID_BYTES);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }
}
