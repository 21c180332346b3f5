import type { Client } from 'minio';
import type { Holdings, Objects } from './objects.ts';
import { asked } from './objects-requests.ts';

interface Version {
  name: string;
  versionId: string | undefined;
  size: number;
  isDeleteMarker: boolean;
}

const REQUEST_MS = 30_000;
// What one request may name.
const BATCH = 1_000;
const VERSIONING_TTL_MS = 60_000;

/** Removal for good: with every version, where the bucket keeps versions. */
export function purging(client: Client, bucket: string): Pick<Objects, 'holdings' | 'purge'> {
  const isVersioned = versioningOf(client, bucket);

  async function* versions(prefix: string): AsyncIterable<Version> {
    const options = { IncludeVersion: await isVersioned() };
    for await (const item of client.listObjects(bucket, prefix, true, options)) {
      const { name, versionId, size, isDeleteMarker } = item as Partial<Version>;
      if (name !== undefined)
        yield { name, versionId, size: Number(size ?? 0), isDeleteMarker: String(isDeleteMarker) === 'true' };
    }
  }

  async function removeBatch(batch: Version[]): Promise<void> {
    const named = batch.map(({ name, versionId }) => ({ name, ...(versionId ? { versionId } : {}) }));
    const faults = await asked(() => client.removeObjects(bucket, named), REQUEST_MS, 'removing versions');
    const [fault] = faults as Array<{ Code?: string } | null>;
    if (fault) throw new Error(`the object store keeps what was to be removed: ${fault.Code ?? 'no reason given'}`);
  }

  /** Bytes of an upload in parts that was never completed are in no listing of objects. */
  async function endOpenUploads(prefix: string, names: readonly string[]): Promise<void> {
    for (const name of ['', ...names]) {
      for await (const { key } of client.listIncompleteUploads(bucket, prefix + name, true))
        await asked(() => client.removeIncompleteUpload(bucket, key), REQUEST_MS, 'ending an upload in parts');
    }
  }

  return {
    async holdings(prefix) {
      const tally = createTally();
      for await (const version of versions(prefix)) tally.add(version);
      return tally.result();
    },
    async purge(prefix, names = []) {
      await endOpenUploads(prefix, names);
      const tally = createTally();
      let batch: Version[] = [];
      for await (const version of versions(prefix)) {
        tally.add(version);
        if (batch.push(version) < BATCH) continue;
        await removeBatch(batch);
        batch = [];
      }
      if (batch.length > 0) await removeBatch(batch);
      for await (const { name } of versions(prefix)) throw new Error(`the object store still has ${name}`);
      return tally.result();
    },
  };
}

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
function versioningOf(client: Client, bucket: string): () => Promise<boolean> {
  let known: { value: boolean; until: number } | undefined;
  return async () => {
    if (known && known.until > performance.now()) return known.value;
    const answer = await asked(() => client.getBucketVersioning(bucket), REQUEST_MS, 'asking for versions').catch(
      error => {
        if (/^(NotImplemented|MethodNotAllowed)$/.test((error as { code?: string }).code ?? '')) return undefined;
        throw error;
      },
    );
    const value = /^(Enabled|Suspended)$/.test(String((answer as { Status?: string } | undefined)?.Status ?? ''));
    known = { value, until: performance.now() + VERSIONING_TTL_MS };
    return value;
  };
}
