import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection, Schema as MongooseSchema, mongo } from 'mongoose';

/** A collection and the indexes that it must have. */
export interface CollectionIndexes {
  collection: string;
  indexes: { keys: Record<string, 1 | -1>; options: mongo.CreateIndexesOptions }[];
}

type Report = (line: string) => void;

const REPORT_MS = 10_000;
const NAMESPACE_EXISTS = 48;
const OTHER_OPTIONS = 85;

/** Returns the indexes that a schema declares. */
export function indexesOf(collection: string, schema: Pick<MongooseSchema, 'indexes'>): CollectionIndexes {
  const indexes = schema.indexes().map(([keys, declared]) => {
    const { background: _, ...options } = declared as mongo.CreateIndexesOptions & { background?: boolean };
    return { keys: keys as Record<string, 1 | -1>, options };
  });
  return { collection, indexes };
}

/** Returns a short text that changes when any collection or index changes. */
export function fingerprintOf(collections: readonly CollectionIndexes[]): string {
  const sorted = collections.toSorted((a, b) => a.collection.localeCompare(b.collection));
  const text = JSON.stringify(sorted.map(({ collection, indexes }) => [collection, indexes]));
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/**
 * Creates missing collections and indexes, and reports each. Builds the indexes of a collection in one pass. Reads and
 * writes continue during the build. Rejects with a sentence that names the collection.
 */
export async function ensureIndexes(
  connection: Connection,
  collections: readonly CollectionIndexes[],
  report: Report,
): Promise<void> {
  for (const wanted of collections) {
    const missing = await missingFrom(connection, wanted);
    if (missing.length === 0) continue;
    report(`${wanted.collection}: building ${missing.length === 1 ? 'the index' : 'the indexes'} ${named(missing)}`);
    const building = new AbortController();
    const following = follow(connection, wanted.collection, report, building.signal);
    try {
      await connection.db!.collection(wanted.collection).createIndexes(missing.map(toSpecification));
    } catch (error) {
      throw new Error(`The indexes of ${wanted.collection} could not be built: ${(error as Error).message}.`, {
        cause: error,
      });
    } finally {
      building.abort();
      await following;
    }
  }
}

const SHOWN = 4;

function named(indexes: Index[]): string {
  const names = indexes.slice(0, SHOWN).map(nameOf).join(', ');
  return indexes.length > SHOWN ? `${names} and ${indexes.length - SHOWN} more` : names;
}

type Index = CollectionIndexes['indexes'][number];

const nameOf = ({ keys, options }: Index): string =>
  options.name ??
  Object.entries(keys)
    .map(([field, way]) => `${field}_${way}`)
    .join('_');

const toSpecification = (index: Index): mongo.IndexDescription => ({
  ...index.options,
  key: index.keys,
  name: nameOf(index),
});

/** Creates the collection if it is missing. Changes the expiry of an existing index in place. */
async function missingFrom(connection: Connection, { collection, indexes }: CollectionIndexes): Promise<Index[]> {
  await connection.db!.createCollection(collection).catch(error => {
    if ((error as { code?: number }).code !== NAMESPACE_EXISTS) throw error;
  });
  const present = new Map((await connection.db!.collection(collection).indexes()).map(each => [each.name, each]));
  const missing: Index[] = [];
  for (const index of indexes) {
    const found = present.get(nameOf(index));
    if (!found) missing.push(index);
    else if (found.expireAfterSeconds !== index.options.expireAfterSeconds)
      await changeExpiry(connection, collection, index);
  }
  return missing;
}

async function changeExpiry(connection: Connection, collection: string, index: Index): Promise<void> {
  const { expireAfterSeconds } = index.options;
  if (expireAfterSeconds === undefined)
    throw Object.assign(new Error(`The index ${nameOf(index)} of ${collection} is there with other options.`), {
      code: OTHER_OPTIONS,
    });
  await connection.db!.command({ collMod: collection, index: { name: nameOf(index), expireAfterSeconds } });
}

/** Reports the server's progress from time to time, or that the server is still building. */
async function follow(connection: Connection, collection: string, report: Report, over: AbortSignal): Promise<void> {
  const ns = `${connection.name}.${collection}`;
  for (let seconds = REPORT_MS / 1_000; ; seconds += REPORT_MS / 1_000) {
    await delay(REPORT_MS, undefined, { signal: over }).catch(() => {});
    if (over.aborted) return;
    const progress = await progressOf(connection, ns).catch(() => undefined);
    report(`${collection}: still building after ${seconds} s${progress ? `, ${progress} of the documents` : ''}`);
  }
}

async function progressOf(connection: Connection, ns: string): Promise<string | undefined> {
  const [build] = await connection
    .getClient()
    .db('admin')
    .aggregate([{ $currentOp: { allUsers: true } }, { $match: { ns, 'progress.total': { $gt: 0 } } }, { $limit: 1 }], {
      maxTimeMS: 5_000,
    })
    .toArray();
  return build && `${Math.floor((100 * build.progress.done) / build.progress.total)}%`;
}
