import type { mongo } from 'mongoose';
import { exactly } from './dump.ts';
import type { Manifest, StoredCollection } from './manifest.ts';
import type { Place } from './place.ts';
import type { Progress } from './progress.ts';
import type { Databases } from './settings.ts';
import { documentsOf, readCompressed } from './streams.ts';

const BATCH_DOCUMENTS = 1_000;
const BATCH_BYTES = 8 * 1024 * 1024;
/** The collection with the record of the migrations. It is written last, because no service starts without it. */
const SCHEMA = 'schema';

/** Empties these collections, then stores every document of the backup and creates the indexes. */
export async function putDocuments(
  place: Place,
  manifest: Manifest,
  databases: Databases,
  progress: Progress,
): Promise<void> {
  let done = 0;
  const all = Object.entries(manifest.databases).flatMap(([database, collections]) =>
    collections.map(collection => ({ database, collection })),
  );
  // Writes the migration records last. Until then, a second run repeats everything.
  const inOrder = all.toSorted((a, b) => Number(a.collection.name === SCHEMA) - Number(b.collection.name === SCHEMA));
  for (const { database, collection } of inOrder) {
    progress.now(() => `${done.toLocaleString('en')} documents stored, now ${database}.${collection.name}`);
    const target = databases.of(database).collection(collection.name);
    await target.drop();
    let written = 0;
    for await (const batch of batchesOf(documentsOf(readCompressed(place, collection.file.path)))) {
      await target.insertMany(batch, { ordered: false });
      written += batch.length;
      done += batch.length;
      progress.tick();
    }
    if (written !== collection.documents)
      throw new Error(
        `${collection.file.path} has ${written} documents, and the manifest says ${collection.documents}`,
      );
    await makeIndexes(target, collection);
  }
}

async function* batchesOf(documents: AsyncIterable<Buffer>): AsyncGenerator<mongo.BSON.Document[]> {
  let batch: mongo.BSON.Document[] = [];
  let bytes = 0;
  for await (const document of documents) {
    batch.push(exactly(document));
    bytes += document.length;
    if (batch.length < BATCH_DOCUMENTS && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Creates all indexes of the backup, because this version cannot run the migrations of a later version, which would
 * create indexes too.
 */
async function makeIndexes(target: mongo.Collection, { indexes }: StoredCollection): Promise<void> {
  const wanted = (indexes as mongo.IndexDescription[]).filter(({ name }) => name !== '_id_');
  // In MongoDB's listing format.
  const plain = wanted.map(({ v: _, ...index }: mongo.IndexDescription & { v?: number }) => index);
  if (plain.length > 0) await target.createIndexes(plain as mongo.IndexDescription[]);
}
