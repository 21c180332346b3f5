/** As much as one read of a socket takes. */
export const BUFFER_BYTES = 256 * 1024;
const KEPT = 64;
const kept: Buffer[] = [];

/** A buffer that nobody else uses. */
export const takeBuffer = (): Buffer => kept.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);

/** Returns a buffer for reuse; only one that nothing reads or writes any more. */
export function returnBuffer(buffer: Buffer): void {
  if (kept.length < KEPT) kept.push(buffer);
}
