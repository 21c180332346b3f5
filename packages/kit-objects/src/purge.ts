import { DomainError } from '@recording-request/kit/errors';
import type { Client } from 'minio';
import { endOpenUploads } from './multipart.ts';
import { BATCH, type Version, versionsOf } from './versions.ts';

/** One object of a listing; `size` in bytes. */
export interface Listed {
  key: string;
  size: number;
}

/** A listed object, and when its bytes were stored. */
export interface Dated extends Listed {
  modifiedAt: Date;
}

/** Counts of stored objects. Without versioning each object is one version. */
export interface Holdings {
  objects: number;
  versions: number;
  /** The bytes of all versions. */
  bytes: number;
}

/** Permanent removal. If the bucket keeps versions, removes every version. */
export interface Purging {
  /** Counts the objects and the versions under `prefix`. */
  holdings(prefix: string): Promise<Holdings>;
  /**
   * Permanently removes everything under `prefix`, including open multipart uploads, and verifies that nothing is left.
   * Returns the counts of what it removed. If the store keeps some objects, removes all others and rejects. `names` are
   * the object names that may have an open multipart upload: some stores list those uploads only by their full name.
   */
  purge(prefix: string, names?: readonly string[]): Promise<Holdings>;
}

// Enough rounds for a job that is still writing, because a job writes only a few objects.
const ROUNDS = 5;

/** Each request takes at most `requestMs`. */
export function purging(store: { client: Client; bucket: string; requestMs: number }): Purging {
  const { versions, removeVersions } = versionsOf(store);
  return {
    async holdings(prefix) {
      const tally = createTally();
      for await (const version of versions(prefix)) tally.add(version);
      return tally.result();
    },
    async purge(prefix, names = []) {
      // The bytes of an open multipart upload appear in no listing of objects.
      for (const name of ['', ...names]) await endOpenUploads(store, { prefix: prefix + name });
      const tally = createTally();
      for (let round = 0; round < ROUNDS; round++) {
        let found = 0;
        let kept = 0;
        let why = '';
        for await (const batch of inBatches(versions(prefix))) {
          found += batch.length;
          for (const version of batch) tally.add(version);
          const faults = await removeVersions(batch);
          if (kept === 0) why = faults[0]?.code ?? '';
          kept += faults.length;
        }
        if (found === 0) return tally.result();
        // Throws only now: an object that the store keeps, for example under a legal hold, must not prevent the removal
        // of the others.
        if (kept > 0) throw new Error(`the object store keeps ${kept} of what was to be removed: ${why}`);
      }
      throw new DomainError('unavailable', 'More is being stored of what is to be removed: try again in a moment.');
    },
  };
}

async function* inBatches(versions: AsyncIterable<Version>): AsyncIterable<Version[]> {
  let batch: Version[] = [];
  for await (const version of versions) {
    if (batch.push(version) < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function createTally() {
  const keys = new Set<string>();
  let versions = 0;
  let bytes = 0;
  return {
    add({ key, size, isDeleteMarker }: Version) {
      if (isDeleteMarker) return;
      keys.add(key);
      versions += 1;
      bytes += size;
    },
    result: (): Holdings => ({ objects: keys.size, versions, bytes }),
  };
}
