import { Readable } from 'node:stream';
import { COPY_BYTES, type CopySource } from '@recording-request/kit-objects/copies';
import { isMissing, type Store } from '@recording-request/kit-objects/objects';
import { NotDone } from '../run-erase.ts';
import type { Content, NamedObject } from './place.ts';
import { contentOf, metered } from './streams.ts';

export const OCTETS = 'application/octet-stream';

export interface BucketCopies {
  /** The bucket of the backup, and its name. */
  target: Store;
  bucket: string;
  /** The product's bucket. */
  objects: Store;
  /**
   * The name of the product's bucket if the target's store can copy between both buckets itself; otherwise this process
   * copies the bytes.
   */
  sameStore: { bucket: string } | undefined;
  /** Called with the number of bytes of each step. */
  tick: (bytes: number) => void;
  /** Runs a request to the target, and explains its errors. */
  asked: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Returns functions that copy objects between the product's bucket and keys of the target. */
export function copiesBetween({ target, bucket, objects, sameStore, tick, asked }: BucketCopies) {
  /** True as long as the store has computed the SHA-256 of each copy. */
  let proves = true;

  async function describedHash(key: string): Promise<string | undefined> {
    const found = await asked(() => target.describe(key));
    return found?.sha256 ?? found?.metadata.sha256;
  }

  const hashed = async (key: string): Promise<Content> => await contentOf(await objects.get(key), tick);

  async function copyWithin(source: CopySource, to: string): Promise<Content> {
    const { key, size: bytes } = source;
    if (proves && bytes <= COPY_BYTES) {
      await asked(() => target.copyFrom(source, to, { contentType: OCTETS, withSha256: true }));
      const sha256 = await describedHash(to);
      tick(bytes);
      if (sha256 !== undefined) return { bytes, sha256 };
      proves = false;
    }
    // The store computes no hash over all bytes, so this process reads them. `source` has the ETag of these bytes.
    const { sha256 } = await hashed(key);
    await asked(() => target.copyFrom(source, to, { contentType: OCTETS, metadata: { sha256 } }));
    if ((await describedHash(to)) !== sha256) throw new Error(`the store did not copy ${key}`);
    return { bytes, sha256 };
  }

  async function copyThrough({ key, size }: CopySource, to: string, expected: string | undefined): Promise<Content> {
    // The client sends the metadata of the object first, and the metadata contains the hash.
    let sha256 = expected ?? (await hashed(key)).sha256;
    for (;;) {
      const counted = metered(await objects.get(key), tick);
      const body = Readable.from(onlyWith(sha256, counted), { objectMode: false });
      try {
        await asked(() => target.put(to, body, { contentType: OCTETS, size, metadata: { sha256 } }));
        return { bytes: size, sha256 };
      } catch (error) {
        // The hash in the record is not the hash of the object. Retry with the hash of the bytes that were read.
        if (!(error instanceof OtherBytes) || sha256 !== expected) throw error;
        sha256 = error.sha256;
      }
    }
  }

  /** Returns the verified content of the copy; undefined if the product has no such object. */
  async function copyIn({ key, sha256 }: NamedObject, to: string): Promise<Content | undefined> {
    const found = await objects.stat(key);
    if (!found) return undefined;
    const source = { bucket: sameStore?.bucket ?? '', key, ...found };
    try {
      return sameStore ? await copyWithin(source, to) : await copyThrough(source, to, sha256);
    } catch (error) {
      // An erasure may have removed the object during the copy.
      if (isMissing(error) && (await objects.stat(key)) === undefined) return undefined;
      throw error;
    }
  }

  async function copyOut(from: string, { key, size, contentType }: CopyTo): Promise<void> {
    const found = await asked(() => target.describe(from));
    if (!found) throw new NotDone(`The backup is not complete: ${from} is missing in the bucket ${bucket}.`);
    if (!sameStore) {
      const body = metered(await asked(() => target.get(from)), tick).chunks;
      return await objects.put(key, Readable.from(body, { objectMode: false }), { contentType, size });
    }
    await objects.copyFrom({ bucket, key: from, size: found.size, etag: found.etag }, key, { contentType });
    if ((await objects.stat(key))?.size !== size) throw new Error(`the store did not copy ${from}`);
    tick(size);
  }

  return { copyIn, copyOut };
}

interface CopyTo {
  key: string;
  size: number;
  contentType: string;
}

class OtherBytes extends Error {
  readonly sha256: string;

  constructor(sha256: string) {
    super('the object has another SHA-256');
    this.sha256 = sha256;
  }
}

/** Passes bytes on. Fails at the end if their hash is different. */
async function* onlyWith(sha256: string, { chunks, content }: ReturnType<typeof metered>): AsyncGenerator<Buffer> {
  yield* chunks;
  const found = content();
  if (found.sha256 !== sha256) throw new OtherBytes(found.sha256);
}
