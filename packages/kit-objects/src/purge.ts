import { DomainError } from '@recording-request/kit/errors';
import type { Client } from 'minio';
import { endOpenUploads } from './multipart.ts';
import { runRequest } from './requests.ts';

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

interface Version {
  name: string;
  versionId: string | undefined;
  size: number;
  isDeleteMarker: boolean;
}

// Keys per request.
const BATCH = 1_000;
// Enough rounds for a job that is still writing, because a job writes only a few objects.
const ROUNDS = 5;
const VERSIONING_TTL_MS = 60_000;

/** Each request takes at most `requestMs`. */
export function purging(store: {
  client: Client;
  bucket: string;
  requestMs: number;
  list(prefix: string): AsyncIterable<Listed>;
}): Purging {
  const { client, bucket, requestMs, list } = store;
  const isVersioned = versioningOf(client, bucket, requestMs);

  async function* versions(prefix: string): AsyncIterable<Version> {
    if (!(await isVersioned())) {
      for await (const { key, size } of list(prefix))
        yield { name: key, versionId: undefined, size, isDeleteMarker: false };
      return;
    }
    let at = { keyMarker: '', versionIdMarker: '' };
    for (;;) {
      const page = { ...at, Delimiter: '', MaxKeys: BATCH, IncludeVersion: true };
      const found = await runRequest(
        () => client.listObjectsQuery(bucket, prefix, '', page),
        requestMs,
        'listing versions',
      );
      for (const item of found.objects) {
        const { name, versionId, size, isDeleteMarker } = item as Partial<Version>;
        if (name !== undefined)
          yield { name, versionId, size: Number(size ?? 0), isDeleteMarker: String(isDeleteMarker) === 'true' };
      }
      const next = { keyMarker: escaped(found.keyMarker ?? ''), versionIdMarker: found.versionIdMarker ?? '' };
      if (!found.isTruncated) return;
      // A partial listing must not count as complete, and a page that the store returns again must not cause an endless
      // loop.
      if (next.keyMarker === at.keyMarker && next.versionIdMarker === at.versionIdMarker)
        throw new Error('the object store lists the same versions again');
      at = next;
    }
  }

  /** Returns how many objects of `batch` the store keeps, and the reason for the first of them. */
  async function removeBatch(batch: Version[]): Promise<{ kept: number; why: string }> {
    const named = batch.map(({ name, versionId }) => ({ name, ...(versionId ? { versionId } : {}) }));
    const faults = await runRequest(() => client.removeObjects(bucket, named), requestMs, 'removing versions');
    // The client's type is { Error: { Code } }, but the value is { Code }.
    const [fault] = faults as Array<{ Code?: string } | null>;
    return { kept: faults.length, why: fault?.Code ?? 'no reason given' };
  }

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
          const faults = await removeBatch(batch);
          if (kept === 0) why = faults.why;
          kept += faults.kept;
        }
        if (found === 0) return tally.result();
        // An object that the store keeps, for example under a legal hold, does not block the others, which have been
        // removed by now.
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

// The client returns a marker unchanged, but signed requests need an escaping that differs from the store's escaping.
const escaped = (marker: string): string =>
  encodeURIComponent(decodeURIComponent(marker.replaceAll('+', ' '))).replaceAll(
    /[!'()*]/g,
    each => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function createTally() {
  const names = new Set<string>();
  let versions = 0;
  let bytes = 0;
  return {
    add({ name, size, isDeleteMarker }: Version) {
      if (isDeleteMarker) return;
      names.add(name);
      versions += 1;
      bytes += size;
    },
    result: (): Holdings => ({ objects: names.size, versions, bytes }),
  };
}

/**
 * Returns a function that reports whether the bucket keeps versions, or once kept versions; false for a store without
 * that API.
 */
function versioningOf(client: Client, bucket: string, requestMs: number): () => Promise<boolean> {
  let known: { value: boolean; until: number } | undefined;
  return async () => {
    if (known && known.until > performance.now()) return known.value;
    const answer = await runRequest(() => client.getBucketVersioning(bucket), requestMs, 'asking for versions').catch(
      error => {
        if (/^(NotImplemented|MethodNotAllowed|VersioningNotConfigured)$/.test((error as { code?: string }).code ?? ''))
          return undefined;
        throw error;
      },
    );
    const value = /^(Enabled|Suspended)$/.test(String((answer as { Status?: string } | undefined)?.Status ?? ''));
    known = { value, until: performance.now() + VERSIONING_TTL_MS };
    return value;
  };
}
