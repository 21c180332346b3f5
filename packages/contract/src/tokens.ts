import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** `api`: an owner's API token. `prj`: a project's dashboard token. `vr`: a recording link's token. */
export type TokenPrefix = 'api' | 'prj' | 'vr';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

// The largest multiple of 62 that fits in a byte. `mintToken` drops bytes from this value on, because they would make
// the first letters more frequent.
const UNBIASED_BYTES = 256 - (256 % ALPHABET.length);

const BODY = new RegExp(`^[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/**
 * Returns a new secret: `<prefix>_`, 32 base62 characters from the CSPRNG (190 bits), then the CRC-32 of everything before
 * as 6 base62 digits.
 */
export function mintToken(prefix: TokenPrefix): string {
  const body = `${prefix}_${randomBase62(RANDOM_LENGTH)}`;
  return body + checksum(body);
}

/**
 * Returns whether a text has the form of this token: prefix, alphabet, length and checksum. The token may still be
 * unknown.
 */
export function tokenIsWellFormed(prefix: TokenPrefix, token: string): boolean {
  const start = `${prefix}_`;
  if (!token.startsWith(start) || !BODY.test(token.slice(start.length))) return false;
  return checksum(token.slice(0, -CHECKSUM_LENGTH)) === token.slice(-CHECKSUM_LENGTH);
}

/** Returns the well-formed token at the start of a text. */
export function tokenAtStart(prefix: TokenPrefix, text: string): string | undefined {
  const token = text.slice(0, prefix.length + 1 + RANDOM_LENGTH + CHECKSUM_LENGTH);
  return tokenIsWellFormed(prefix, token) ? token : undefined;
}

/** Returns the SHA-256 of the whole token, 32 bytes. Services store, look up and send this hash. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < UNBIASED_BYTES && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit++) {
    text = ALPHABET[rest % ALPHABET.length] + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
