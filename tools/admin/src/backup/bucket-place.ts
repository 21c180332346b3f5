import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ConfigError } from '@recording-request/kit/config';
import { NotDone } from '../run-erase.ts';
import { type BucketCopies, copiesBetween, OCTETS } from './bucket-copies.ts';
import type { Entry, Place } from './place.ts';
import { retried } from './retried.ts';
import { metered } from './streams.ts';

// Reads a long file in ranges of this size: its reader may pause for hours, and the store closes a response that nobody
// reads.
const RANGE_BYTES = 8 * 1024 * 1024;
// The reasons of S3 and MinIO for a version under a retention period or a legal hold.
const LOCKED = /object lock|WORM|retention|legal hold/i;

export interface BucketBackup extends Omit<BucketCopies, 'asked'> {
  /** The name that the operator gave. */
  name: string;
  /** The address of the backup's store. */
  endpoint: string;
  /** Empty, or ends with a slash. */
  prefix: string;
  /** Returns the error to throw for an error of the target. */
  faultOf: (error: unknown) => unknown;
}

/** A backup under a prefix of a bucket. The memory use does not depend on the size of the objects. */
export function bucketPlace({ target, prefix, objects, tick, faultOf, endpoint, ...place }: BucketBackup): Place {
  const at = (path: string) => prefix + path;
  const asked = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch(error => {
      throw faultOf(error);
    });
  const { copyIn, copyOut } = copiesBetween({ target, objects, tick, asked, ...place });

  async function* ranges(path: string, size: number): AsyncGenerator<Buffer> {
    for (let offset = 0; offset < size; offset += RANGE_BYTES) {
      const length = Math.min(RANGE_BYTES, size - offset);
      const piece = await retried(() => asked(async () => buffer(await target.get(at(path), { offset, length }))));
      yield piece;
    }
  }

  async function read(path: string): Promise<Readable | undefined> {
    const found = await retried(() => asked(() => target.stat(at(path))));
    return found && Readable.from(ranges(path, found.size), { objectMode: false });
  }

  async function* listed(path: string): AsyncGenerator<Entry> {
    try {
      for await (const { key, modifiedAt, isCurrent, versionId } of target.versions(at(path)))
        yield { path: key.slice(prefix.length), modifiedAt, isCurrent, versionId };
    } catch (error) {
      throw faultOf(error);
    }
  }

  return {
    name: place.name,
    async open() {
      const isThere = await retried(() => asked(() => target.hasBucket())).catch(error => {
        if (error instanceof ConfigError) throw error;
        throw new NotDone(`The store of the backup at ${endpoint} cannot be used: ${(error as Error).message}.`);
      });
      if (!isThere)
        throw new NotDone(
          `The bucket ${place.bucket} does not exist at ${endpoint}: create it, or correct ${place.name} or BACKUP_S3_ENDPOINT.`,
        );
    },
    async write(path, source) {
      const counted = metered(source, tick);
      const body = Readable.from(counted.chunks, { objectMode: false });
      await asked(() => target.put(at(path), body, { contentType: OCTETS }));
      return counted.content();
    },
    read,
    async entry(path) {
      for await (const each of listed(path)) if (each.path === path && each.isCurrent) return each;
      return undefined;
    },
    async held(path, { size }) {
      const found = await retried(() => asked(() => target.describe(at(path))));
      tick(0);
      const sha256 = found?.sha256 ?? found?.metadata.sha256;
      return found && found.size === size && sha256 !== undefined ? { bytes: found.size, sha256 } : undefined;
    },
    copyIn: (object, path) => retried(() => copyIn(object, at(path))),
    copyOut: (path, to) => retried(() => copyOut(at(path), to)),
    list: () => listed(''),
    async remove(entries) {
      const versions = entries.map(({ path, versionId }) => ({ key: at(path), versionId }));
      const kept = await retried(() => asked(() => target.removeVersions(versions)));
      tick(0);
      const refusal = kept.find(({ message }) => !LOCKED.test(message));
      if (refusal) throw faultOf(Object.assign(new Error(refusal.message), { code: refusal.code }));
      return kept.map(({ key }) => key.slice(prefix.length));
    },
    async endOpenWrites(before) {
      await asked(() => target.endOpenPuts(before, prefix));
    },
  };
}
