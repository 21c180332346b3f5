import { once } from 'node:events';
import { opendir, rmdir, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Objects } from '@recording-request/kit-objects/objects';
import type { mongo } from 'mongoose';
import { type Absence, type AbsentObject, hashOf, type ListedObject, type StoredFile } from './manifest.ts';
import type { NamedObject } from './named-objects.ts';
import { eachAtOnce, nowAndThen, writeCompressed, writeWhole } from './streams.ts';

const AT_ONCE = 8;
const NAMED = 20;

export interface Copied {
  count: number;
  bytes: number;
  /** The number of these objects that an earlier run has already copied. */
  reused: number;
  /** The number of these objects that the store has lost, or has with another size. */
  lost: number;
  list: StoredFile;
  absent: Record<Absence, number>;
  /** The first absent keys, each with the reason. */
  named: string[];
}

/**
 * Copies every object to `objects/KEY` below `dir`, unless a complete copy is there. Writes the list of all objects
 * with their hashes. Sets the time of each copied or kept file to `stamp`, except for objects of clips that were erased
 * meanwhile.
 */
export async function copyObjects(
  source: AsyncIterable<NamedObject>,
  { objects, submissions }: { objects: Objects; submissions: mongo.Db },
  { dir, folder, stamp, show }: { dir: string; folder: string; stamp: Date; show: (line: string) => void },
): Promise<Copied> {
  const said = nowAndThen(show);
  const lines = new PassThrough();
  const listing = writeCompressed(dir, `${folder}/objects.jsonl.gz`, lines as AsyncIterable<Buffer>);
  // If the list cannot be written, the copying stops when it writes the next line.
  lines.on('error', () => {});
  listing.catch(error => lines.destroy(error));
  const note = async (entry: ListedObject | AbsentObject) => {
    if (lines.destroyed) await listing;
    if (!lines.write(`${JSON.stringify(entry)}\n`)) await Promise.race([once(lines, 'drain'), listing]);
  };
  const copied: Omit<Copied, 'list'> = {
    ...{ count: 0, bytes: 0, reused: 0, lost: 0, named: [] },
    absent: { erased: 0, missing: 0, different: 0 },
  };
  const miss = (key: string, absent: Absence) => {
    copied.absent[absent] += 1;
    if (copied.named.length < NAMED) copied.named.push(`${absent} ${key}`);
  };
  // The backup keeps a complete earlier copy. The report still counts the object that the store has lost.
  const lose = (key: string) => {
    copied.lost += 1;
    if (copied.named.length < NAMED) copied.named.push(`lost ${key}`);
  };
  /** Returns how an object in the store has changed since an earlier run copied it; undefined if it has not changed. */
  const lossOf = async ({ key, size }: NamedObject): Promise<'erased' | 'lost' | undefined> => {
    const there = await objects.stat(key);
    if (there === undefined) return (await isErased(submissions, key)) ? 'erased' : 'lost';
    return size !== undefined && there.size !== size ? 'lost' : undefined;
  };
  const copy = async (object: NamedObject) => {
    const { key } = object;
    const path = join(dir, 'objects', key);
    const kept = await wholeAt(path, object);
    const loss = kept && (await lossOf(object));
    // The file keeps its old time, so the cleanup at the end removes the file.
    if (loss === 'erased') {
      miss(key, 'erased');
      return await note({ key, absent: 'erased' });
    }
    const found = kept ?? (await fetched(objects, key, path));
    if (!found) {
      if (object.optional) return;
      const absent = (await isErased(submissions, key)) ? 'erased' : 'missing';
      miss(key, absent);
      return await note({ key, absent });
    }
    if (differs(object, found)) miss(key, 'different');
    else if (loss === 'lost') lose(key);
    await utimes(path, stamp, stamp);
    copied.count += 1;
    copied.bytes += found.bytes;
    if (kept) copied.reused += 1;
    said(() => `${progress(copied)} copied`);
    await note({ key, size: found.bytes, sha256: found.sha256 });
  };
  try {
    await eachAtOnce(source, AT_ONCE, copy);
  } finally {
    lines.end();
  }
  return { ...copied, list: await listing };
}

const progress = ({ count, bytes, reused }: Pick<Copied, 'count' | 'bytes' | 'reused'>): string =>
  `${count.toLocaleString('en')} objects of ${bytes.toLocaleString('en')} bytes, ${reused.toLocaleString('en')} of them there already,`;

const differs = ({ size, sha256 }: NamedObject, found: { bytes: number; sha256: string }): boolean =>
  (size !== undefined && size !== found.bytes) || (sha256 !== undefined && sha256 !== found.sha256);

/** Returns the copy of an earlier run, if the copy matches the record of the object. */
async function wholeAt(path: string, object: NamedObject) {
  const there = await stat(path).catch(() => undefined);
  if (!there || there.size !== object.size) return undefined;
  const found = await hashOf(path);
  return found && !differs(object, found) ? found : undefined;
}

/** Returns the fetched file; undefined when the store has no such object. */
async function fetched(objects: Objects, key: string, path: string) {
  try {
    return await writeWhole(path, (await objects.get(key)) as AsyncIterable<Buffer>);
  } catch (error) {
    const isThere = await objects.stat(key).catch(() => true);
    if (isThere === undefined) return undefined;
    throw error;
  }
}

/** Returns whether the clip or take of an object has been erased. */
async function isErased(submissions: mongo.Db, key: string): Promise<boolean> {
  const [kind, first = '', second = ''] = key.split('/');
  const [collection, id] = kind === 'uploads' ? ['uploads', first] : ['submissions', second];
  const row = await submissions
    .collection<{ _id: string } & Record<string, unknown>>(collection!)
    .findOne({ _id: id! });
  if (collection === 'submissions') return row?.erasedAt instanceof Date;
  return row === null || row.emptied === true;
}

const SECOND_MS = 1_000;

/**
 * Removes the objects below `dir` that are older than this stamp. No record of the backup names them any more, or their
 * clip was erased during the backup. If this process was paused, a later backup may have copied objects meanwhile;
 * these are newer, and stay.
 */
export async function prune(dir: string, stamp: Date): Promise<number> {
  let removed = 0;
  const folders: string[] = [];
  for await (const entry of await opendir(join(dir, 'objects'), { recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) folders.push(path);
    if (!entry.isFile() || (await stat(path)).mtimeMs >= stamp.getTime() - SECOND_MS) continue;
    await unlink(path);
    removed += 1;
  }
  // Removes the empty folders, the deepest first.
  if (removed > 0) for (const folder of folders.toReversed()) await rmdir(folder).catch(() => {});
  return removed;
}
