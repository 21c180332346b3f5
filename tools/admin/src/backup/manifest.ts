import { text } from 'node:stream/consumers';
import { NotDone } from '../run-erase.ts';
import type { Place, StoredFile } from './place.ts';
import { contentOf } from './streams.ts';

export interface StoredCollection {
  name: string;
  documents: number;
  file: StoredFile;
  /** The indexes, in MongoDB's format. */
  indexes: object[];
}

/** The contents of a backup. The backup writes this file last, so a place without it has no complete backup. */
export interface Manifest {
  format: 1;
  id: string;
  /** The id of the backed-up system. The system's databases keep it. */
  system: string;
  /** The moment of the data, by MongoDB's clock. */
  takenAt: string;
  clusterTime: { seconds: number; increment: number };
  databases: Record<string, StoredCollection[]>;
  objects: { count: number; bytes: number; list: StoredFile };
  /**
   * The number of named objects that the backup lacks or has with different bytes: they were erased since the moment,
   * are missing in the store, or differ there.
   */
  absent: Record<Absence, number>;
  /** The number of events that only Kafka had at the moment. */
  eventsLeft: number;
}

/** An object in the list of a backup; `objects/KEY` holds its bytes. */
export interface ListedObject {
  key: string;
  size: number;
  sha256: string;
}

/**
 * The reason why an object differs from its record: it was erased since the moment, the store lost it, or the store has
 * other bytes (which the backup contains).
 */
export const ABSENCES = ['erased', 'missing', 'different'] as const;
export type Absence = (typeof ABSENCES)[number];

export interface AbsentObject {
  key: string;
  absent: Absence;
}

export const FILE = 'manifest.json';
export const FORMAT = 1;

/** Writes the manifest atomically, after everything else is stored. */
export async function writeManifest(place: Place, manifest: Manifest): Promise<void> {
  async function* whole() {
    yield Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  }
  await place.write(FILE, whole());
}

/** Reads the manifest. Fails with NotDone when it is missing or has an unsupported format. */
export async function readManifest(place: Place): Promise<Manifest> {
  const file = await place.read(FILE);
  if (!file)
    throw new NotDone(
      `${place.name} holds no complete backup: it has no ${FILE}, which is written last. The backup, or a copy of it, was interrupted: restore another copy.`,
    );
  const manifest = parsed(await text(file));
  const path = `${place.name}/${FILE}`;
  if (!manifest?.databases || !manifest.objects?.list)
    throw new NotDone(`${path} is damaged: it is no manifest of a backup. Restore another copy of the backup.`);
  if (manifest.format !== FORMAT)
    throw new NotDone(
      `${path} has format ${manifest.format}, and this version reads ${FORMAT}: restore it with the version that made it.`,
    );
  return manifest;
}

/** Returns the manifest of the backup in a place; undefined when it is missing or damaged. */
export const findManifest = (place: Place): Promise<Manifest | undefined> =>
  readManifest(place).catch(error => {
    if (error instanceof NotDone) return undefined;
    throw error;
  });

function parsed(text: string): Manifest | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads a file, and fails if it has changed since the backup. The NotDone names the file. */
export async function verifyFile(
  place: Place,
  { path, bytes, sha256 }: StoredFile,
  tick?: (bytes: number) => void,
): Promise<void> {
  const file = await place.read(path);
  if (!file)
    throw new NotDone(`The backup in ${place.name} is not complete: ${path} is missing. Nothing was restored.`);
  const found = await contentOf(file, tick);
  if (found.bytes !== bytes)
    throw new NotDone(
      `The backup in ${place.name} is not complete: ${path} has ${found.bytes} bytes, not ${bytes}. Nothing was restored.`,
    );
  if (found.sha256 !== sha256)
    throw new NotDone(
      `The backup in ${place.name} is damaged: ${path} has another SHA-256 than when it was written. Nothing was restored.`,
    );
}
