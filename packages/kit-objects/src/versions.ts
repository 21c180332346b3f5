import type { Client } from 'minio';
import { runRequest } from './requests.ts';

/** A version of an object. Without versioning, each object is one version without an id. */
export interface Version {
  key: string;
  versionId: string | undefined;
  /** In bytes. */
  size: number;
  /** When its bytes were stored, by the store's clock. */
  modifiedAt: Date;
  /** Whether a read of the key returns this version. */
  isCurrent: boolean;
  isDeleteMarker: boolean;
}

/** A version that the store refused to remove, with the reason. */
export interface Kept {
  key: string;
  code: string;
  message: string;
}

export interface Versions {
  /** Lists the objects under `prefix` and, if the bucket keeps versions, all their versions and delete markers. */
  versions(prefix: string): AsyncIterable<Version>;
  /** Permanently removes at most 1,000 versions. Returns the versions that the store refused to remove. */
  removeVersions(versions: Array<Pick<Version, 'key' | 'versionId'>>): Promise<Kept[]>;
}

/** The number of keys in one request. */
export const BATCH = 1_000;
const VERSIONING_TTL_MS = 60_000;

/** Each request takes at most `requestMs`. */
export function versionsOf({
  client,
  bucket,
  requestMs,
}: {
  client: Client;
  bucket: string;
  requestMs: number;
}): Versions {
  const isVersioned = versioningOf(client, bucket, requestMs);

  async function* objectsOnly(prefix: string): AsyncIterable<Version> {
    for (let token = ''; ; ) {
      const list = () => client.listObjectsV2Query(bucket, prefix, token, '', BATCH, '');
      const page = await runRequest(list, requestMs, 'listing objects');
      for (const { name, size, lastModified } of page.objects)
        if (name !== undefined)
          yield {
            ...{ key: name, versionId: undefined, size, modifiedAt: new Date(lastModified) },
            ...{ isCurrent: true, isDeleteMarker: false },
          };
      if (!page.isTruncated) return;
      token = page.nextContinuationToken;
    }
  }

  async function* allVersions(prefix: string): AsyncIterable<Version> {
    let at = { keyMarker: '', versionIdMarker: '' };
    for (;;) {
      const page = { ...at, Delimiter: '', MaxKeys: BATCH, IncludeVersion: true };
      const found = await runRequest(
        () => client.listObjectsQuery(bucket, prefix, '', page),
        requestMs,
        'listing versions',
      );
      for (const item of found.objects) {
        const version = versionIn(item as unknown as Record<string, unknown>);
        if (version) yield version;
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

  return {
    async *versions(prefix) {
      yield* (await isVersioned()) ? allVersions(prefix) : objectsOnly(prefix);
    },
    async removeVersions(versions) {
      const named = versions.map(({ key, versionId }) => ({ name: key, ...(versionId ? { versionId } : {}) }));
      const faults = await runRequest(() => client.removeObjects(bucket, named), requestMs, 'removing versions');
      // The client's types declare { Error: { Code } }, but the value is { Key, Code, Message }.
      return (faults as Array<{ Key?: string; Code?: string; Message?: string } | null>).map(fault => ({
        key: String(fault?.Key ?? ''),
        code: fault?.Code ?? 'no reason given',
        message: String(fault?.Message ?? ''),
      }));
    },
  };
}

function versionIn(item: Record<string, unknown>): Version | undefined {
  const { name, versionId, size, lastModified, isLatest, isDeleteMarker } = item;
  if (typeof name !== 'string') return undefined;
  const isMarker = String(isDeleteMarker) === 'true';
  return {
    ...{ key: name, versionId: versionId === undefined ? undefined : String(versionId), size: Number(size ?? 0) },
    modifiedAt: new Date(lastModified as string | Date),
    isCurrent: String(isLatest) === 'true' && !isMarker,
    isDeleteMarker: isMarker,
  };
}

// The client returns a marker as the store escaped it, but signed requests need a different escaping.
const escaped = (marker: string): string =>
  encodeURIComponent(decodeURIComponent(marker.replaceAll('+', ' '))).replaceAll(
    /[!'()*]/g,
    each => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );

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
