import { createCipheriv, randomBytes } from 'node:crypto';

const BLOCK_BYTES = 16;

/** Returns a new key, for one object only: two objects that are encrypted with the same key reveal each other. */
export const newCipherKey = (): Buffer => randomBytes(32);

/**
 * Encrypts or decrypts (the same operation) consecutive chunks of an object from `offset` on, with AES-256 in counter mode, which can
 * start anywhere. It does not detect changed bytes.
 */
export function seekableCipher(key: Uint8Array, offset: number): (bytes: Uint8Array) => Buffer {
  const counter = Buffer.alloc(BLOCK_BYTES);
  counter.writeBigUInt64BE(BigInt(Math.floor(offset / BLOCK_BYTES)), 8);
  const cipher = createCipheriv('aes-256-ctr', key, counter);
  cipher.update(Buffer.alloc(offset % BLOCK_BYTES));
  return bytes => cipher.update(bytes);
}
