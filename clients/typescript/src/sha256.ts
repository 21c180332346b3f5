/** Computes a SHA-256 of parts. */
export interface Hasher {
  update(part: Uint8Array): void;
  hex(): Promise<string>;
}

/** Returns a hasher; undefined in browsers, whose Web Crypto hashes only bytes that are in memory. */
export async function sha256(): Promise<Hasher | undefined> {
  // A name in a variable, so that bundlers for browsers do not look for the module.
  const name = 'node:crypto';
  const node = await (import(name) as Promise<typeof import('node:crypto')>).catch(() => undefined);
  const hash = node?.createHash?.('sha256');
  return hash && { update: part => void hash.update(part), hex: async () => hash.digest('hex') };
}
