import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NotDone } from '../run-erase.ts';

export interface StoredFile {
  /** The path below the backup's folder. */
  path: string;
  bytes: number;
  /** Hex. */
  sha256: string;
}

export interface StoredCollection {
  name: string;
  documents: number;
  file: StoredFile;
  /** The indexes, in MongoDB's format. */
  indexes: object[];
}

/** The contents of a backup. It is written last: a folder without it holds no complete backup. */
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
   * The number of named objects that the backup lacks or has with other bytes: they were erased since the moment, are
   * missing in the store, or differ there.
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

const FILE = 'manifest.json';
export const FORMAT = 1;

/** Writes the manifest atomically, after everything else is on the disk. */
export async function writeManifest(dir: string, manifest: Manifest): Promise<void> {
  const path = join(dir, FILE);
  const file = await open(`${path}.new`, 'w', 0o600);
  await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
  await file.sync();
  await file.close();
  await rename(`${path}.new`, path);
}

/** Reads the manifest. Fails with NotDone when it is missing or has an unsupported format. */
export async function readManifest(dir: string): Promise<Manifest> {
  const path = join(dir, FILE);
  const text = await readFile(path, 'utf8').catch(() => {
    throw new NotDone(
      `${dir} holds no complete backup: it has no ${FILE}, which is written last. The backup, or a copy of it, was interrupted: restore another copy.`,
    );
  });
  const manifest = parsed(text);
  if (!manifest?.databases || !manifest.objects?.list)
    throw new NotDone(`${path} is damaged: it is no manifest of a backup. Restore another copy of the backup.`);
  if (manifest.format !== FORMAT)
    throw new NotDone(
      `${path} has format ${manifest.format}, and this version reads ${FORMAT}: restore it with the version that made it.`,
    );
  return manifest;
}

/** Returns the manifest of the backup in a folder; undefined when it is missing or damaged. */
export const findManifest = (dir: string): Promise<Manifest | undefined> => readManifest(dir).catch(() => undefined);

function parsed(text: string): Manifest | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a file's size and its hash in hex; undefined when the file is missing. */
export async function hashOf(path: string): Promise<{ bytes: number; sha256: string } | undefined> {
  if (!(await stat(path).catch(() => undefined))) return undefined;
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Fails if the file has changed since the backup. The NotDone names the file. */
export async function verifyFile(dir: string, { path, bytes, sha256 }: StoredFile): Promise<void> {
  const found = await hashOf(join(dir, path));
  if (!found) throw new NotDone(`The backup in ${dir} is not complete: ${path} is missing. Nothing was restored.`);
  if (found.bytes !== bytes)
    throw new NotDone(
      `The backup in ${dir} is not complete: ${path} has ${found.bytes} bytes, not ${bytes}. Nothing was restored.`,
    );
  if (found.sha256 !== sha256)
    throw new NotDone(
      `The backup in ${dir} is damaged: ${path} has another SHA-256 than when it was written. Nothing was restored.`,
    );
}
