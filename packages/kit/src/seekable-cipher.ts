import { createCipheriv, randomBytes } from 'node:crypto';

const BLOCK_BYTES = 16;

/** A new key, for one object alone: with a key that is used twice, two texts give each other away. */
export const newCipherKey = (): Buffer => randomBytes(32);

/**
 * Enciphers or deciphers (it is the same) consecutive pieces of an object's bytes, the first of which stands at `offset`:
 * AES-256 in counter mode, which can begin anywhere. It keeps a secret, and does not show that bytes were changed.
 */
export function seekableCipher(key: Uint8Array, offset: number): (bytes: Uint8Array) => Buffer {
  const counter = Buffer.alloc(BLOCK_BYTES);
  counter.writeBigUInt64BE(BigInt(Math.floor(offset / BLOCK_BYTES)), 8);
  const cipher = createCipheriv('aes-256-ctr', key, counter);
  cipher.update(Buffer.alloc(offset % BLOCK_BYTES));
  return bytes => cipher.update(bytes);
}
