import type { Client } from 'minio';
import { DomainError } from './errors.ts';
import { endOpenUploads } from './objects-multipart.ts';
import { asked } from './objects-requests.ts';

/** One object of a listing; `size` in bytes. */
export interface Listed {
  key: string;
  size: number;
}

/** Counts of what is stored. In a bucket without versions each object is one version. */
export interface Holdings {
  objects: number;
  versions: number;
  /** Of all versions. */
  bytes: number;
}

/** Removal for good: with every version, where the bucket keeps versions. */
export interface Purging {
  /** What is under `prefix`: objects, every version of them, and uploads in parts that were begun. */
  holdings(prefix: string): Promise<Holdings>;
  /**
   * Removes all of it for good, and looks that nothing is left; what was there. Rejects where the store keeps something.
   * `names`: what may be under the prefix as an upload in parts; some stores tell of those only by their whole name.
   */
  purge(prefix: string, names?: readonly string[]): Promise<Holdings>;
}

interface Version {
  name: string;
  versionId: string | undefined;
  size: number;
  isDeleteMarker: boolean;
}

// What one request may name.
const BATCH = 1_000;
// A job that still stores is done after its few objects.
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
      const found = await asked(() => client.listObjectsQuery(bucket, prefix, '', page), requestMs, 'listing versions');
      for (const item of found.objects) {
        const { name, versionId, size, isDeleteMarker } = item as Partial<Version>;
        if (name !== undefined)
          yield { name, versionId, size: Number(size ?? 0), isDeleteMarker: String(isDeleteMarker) === 'true' };
      }
      const next = { keyMarker: escaped(found.keyMarker ?? ''), versionIdMarker: found.versionIdMarker ?? '' };
      if (!found.isTruncated) return;
      // Never a part taken for the whole, and never the same page for ever.
      if (next.keyMarker === at.keyMarker && next.versionIdMarker === at.versionIdMarker)
        throw new Error('the object store lists the same versions again');
      at = next;
    }
  }

  async function removeBatch(batch: Version[]): Promise<void> {
    const named = batch.map(({ name, versionId }) => ({ name, ...(versionId ? { versionId } : {}) }));
    const faults = await asked(() => client.removeObjects(bucket, named), requestMs, 'removing versions');
    const [fault] = faults as Array<{ Code?: string } | null>;
    if (fault) throw new Error(`the object store keeps what was to be removed: ${fault.Code ?? 'no reason given'}`);
  }

  return {
    async holdings(prefix) {
      const tally = createTally();
      for await (const version of versions(prefix)) tally.add(version);
      return tally.result();
    },
    async purge(prefix, names = []) {
      // Bytes of an upload in parts that was never completed are in no listing of objects.
      for (const name of ['', ...names]) await endOpenUploads(store, { prefix: prefix + name });
      const tally = createTally();
      for (let round = 0; round < ROUNDS; round++) {
        let batch: Version[] = [];
        let found = 0;
        for await (const version of versions(prefix)) {
          found += 1;
          tally.add(version);
          if (batch.push(version) < BATCH) continue;
          await removeBatch(batch);
          batch = [];
        }
        if (found === 0) return tally.result();
        if (batch.length > 0) await removeBatch(batch);
      }
      throw new DomainError('unavailable', 'More is being stored of what is to be removed: try again in a moment.');
    },
  };
}

// The client sends a marker as it came, which stores write in other ways than requests are signed.
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

/** Whether the bucket keeps, or once kept, versions; a store that does not know the question keeps none. */
function versioningOf(client: Client, bucket: string, requestMs: number): () => Promise<boolean> {
  let known: { value: boolean; until: number } | undefined;
  return async () => {
    if (known && known.until > performance.now()) return known.value;
    const answer = await asked(() => client.getBucketVersioning(bucket), requestMs, 'asking for versions').catch(
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
