import { mongo } from 'mongoose';
import { NotDone } from '../run-erase.ts';
import type { StoredCollection } from './manifest.ts';
import type { Moment } from './moment.ts';
import type { Place } from './place.ts';
import type { Progress } from './progress.ts';
import { AT_THE_MOMENT, DATABASES, type Databases, LEFT_OUT } from './settings.ts';
import { gathered, writeCompressed } from './streams.ts';

const BATCH = 1_000;
// The error codes SnapshotTooOld and SnapshotUnavailable.
const TOO_OLD = [239, 246];

export interface Dump {
  databases: Record<string, StoredCollection[]>;
  documents: number;
}

/**
 * Writes every collection as it was at the moment. The documents of a collection are consecutive BSON in
 * `FOLDER/DATABASE/COLLECTION.bson.gz` in `place`. Streams the documents.
 */
export async function dump(
  databases: Databases,
  { session, clusterTime }: Moment,
  { place, folder, progress }: { place: Place; folder: string; progress: Progress },
): Promise<Dump> {
  const started = performance.now();
  const dumped: Dump = { databases: {}, documents: 0 };
  try {
    for (const name of DATABASES) {
      const collections: StoredCollection[] = [];
      for (const collection of await collectionsOf(databases.of(name))) {
        let documents = 0;
        progress.now(
          () =>
            `${(dumped.documents + documents).toLocaleString('en')} documents read, now ${name}.${collection.collectionName}`,
        );
        const cursor = collection.find({}, { session, raw: true, batchSize: BATCH, maxTimeMS: 0 });
        const raw = async function* () {
          for await (const document of cursor as unknown as AsyncIterable<Uint8Array>) {
            documents += 1;
            progress.tick();
            yield Buffer.from(document.buffer, document.byteOffset, document.byteLength);
          }
        };
        const path = `${folder}/${name}/${collection.collectionName}.bson.gz`;
        const file = await writeCompressed(place, path, gathered(raw()));
        const indexes = await collection.indexes();
        collections.push({ name: collection.collectionName, documents, file, indexes });
        dumped.documents += documents;
      }
      dumped.databases[name] = collections;
    }
    return dumped;
  } catch (error) {
    if (!TOO_OLD.includes((error as { code?: number }).code ?? 0)) throw error;
    const seconds = Math.round((performance.now() - started) / 1_000);
    throw new NotDone(
      `MongoDB did not keep the moment ${clusterTime.getHighBits()} for the ${seconds} s that reading it took: set minSnapshotHistoryWindowInSeconds (300 by default) to ${windowFor(seconds)} on every member for as long as a backup takes, then run this again. See docs/operations.md, "Backup and restore".`,
    );
  }
}

/** Returns a window at least twice as long as the window that was too short. */
const windowFor = (seconds: number): number => Math.max(1_800, Math.ceil(seconds / 300) * 600);

async function collectionsOf(database: mongo.Db): Promise<mongo.Collection[]> {
  const all = await database.listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
  const names = all.map(({ name }) => name).filter(name => !LEFT_OUT.includes(name) && !name.startsWith('system.'));
  return names.toSorted().map(name => database.collection(name, AT_THE_MOMENT));
}

const KEPT_TYPES = { promoteValues: false, promoteBuffers: false, promoteLongs: false, bsonRegExp: true } as const;

/** Returns a document whose numbers keep their stored types. */
export const exactly = (bytes: Buffer): mongo.BSON.Document => mongo.BSON.deserialize(bytes, KEPT_TYPES);
