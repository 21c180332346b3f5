import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Seals secrets for storage with AES-256-GCM. Also makes keyed digests: equal texts have equal digests, so a query
 * finds a text by its digest.
 */
export interface SecretBox {
  /**
   * Returns `<key id>.<base64url of nonce, tag and ciphertext>`. Only the same `context` (such as the record's id)
   * opens the sealed text.
   */
  seal(plain: string | Uint8Array, context: string): string;
  /**
   * Returns the plain text of a sealed text. Throws when the key is unknown, or when the sealed text or its context was
   * changed.
   */
  open(sealed: string, context: string): Buffer;
  /**
   * Returns `<key id>.<base64url of the HMAC-SHA-256>`, made with the first key. Equal texts have the same digest only
   * in the same `context`.
   */
  digest(plain: string, context: string): string;
  /** Returns one digest for each key, the first key's first, because any of the keys may have made a stored digest. */
  digests(plain: string, context: string): string[];
  /** The ids of all keys. The first key seals. */
  readonly keyIds: readonly string[];
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * `keys` is a comma-separated list of `id:base64`, 32 bytes each. The first key seals and every key opens, so that keys
 * can be rotated.
 */
export function createSecretBox(keys: string): SecretBox {
  const ring = parseKeys(keys);
  const [newest] = ring.keys();
  const digestKeys = new Map([...ring].map(([id, key]) => [id, digestKeyOf(key)]));
  const digestBy = (id: string, plain: string, context: string): string => {
    // The length separates the context from the text.
    const hmac = createHmac('sha256', digestKeys.get(id)!).update(`${Buffer.byteLength(context)}:${context}${plain}`);
    return `${id}.${hmac.digest('base64url')}`;
  };
  return {
    keyIds: [...ring.keys()],
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', ring.get(newest!)!, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return `${newest}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open(sealed, context) {
      const id = keyIdOf(sealed);
      const key = ring.get(id);
      if (!key) throw new Error(`sealed with the key "${id}", which SECRETS_KEY does not hold`);
      const bytes = Buffer.from(sealed.slice(id.length + 1), 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    },
    digest: (plain, context) => digestBy(newest!, plain, context),
    digests: (plain, context) => [...ring.keys()].map(id => digestBy(id, plain, context)),
  };
}

/** Derives the key of digests, because one key must not serve two algorithms. */
const digestKeyOf = (key: Buffer): Buffer => Buffer.from(hkdfSync('sha256', key, '', 'digest', 32));

/** Returns the id of the key that sealed a text; "" if the text is not sealed. */
export const keyIdOf = (sealed: string): string => /^([\w-]{1,64})\./.exec(sealed)?.[1] ?? '';

/** Throws an Error that describes a valid SECRETS_KEY and does not show the value. */
export function parseKeys(keys: string): Map<string, Buffer> {
  const ring = new Map<string, Buffer>();
  for (const entry of keys.split(',')) {
    const [id, material] = entry.trim().split(':');
    const key = Buffer.from(material ?? '', 'base64');
    if (!id || !/^[\w-]{1,64}$/.test(id) || key.length !== 32)
      throw new Error('must be id:base64 of 32 bytes, several separated by commas (openssl rand -base64 32 makes one)');
    if (ring.has(id)) throw new Error(`must name each key once, but has "${id}" twice`);
    ring.set(id, key);
  }
  return ring;
}
