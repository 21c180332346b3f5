import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Objects } from '@recording-request/kit-objects/objects';
import type { mongo } from 'mongoose';
import { createKeySet, type KeySet } from './key-set.ts';
import type { Absence, AbsentObject, ListedObject } from './manifest.ts';
import type { Content, NamedObject, Place, StoredFile } from './place.ts';
import { type Progress, sharesOf } from './progress.ts';
import { eachAtOnce, writeCompressed } from './streams.ts';

const AT_ONCE = 8;
const NAMED = 20;

export interface Copied {
  count: number;
  bytes: number;
  /** The number of these objects that an earlier run has already copied. */
  reused: number;
  /** The number of these objects that the store has lost, or has with a different size. */
  lost: number;
  list: StoredFile;
  absent: Record<Absence, number>;
  /** The first absent keys, each with the reason. */
  named: string[];
  /** The keys of the copied objects. */
  keys: KeySet;
}

interface Copying {
  place: Place;
  folder: string;
  progress: Progress;
  /** The objects that the records name. */
  total: { count: number; bytes: number };
}

/**
 * Copies every object to `objects/KEY` in `place`, unless a complete copy is there. Writes the list of all objects with
 * their hashes to `folder`.
 */
export async function copyObjects(
  source: AsyncIterable<NamedObject>,
  { objects, submissions }: { objects: Objects; submissions: mongo.Db },
  { place, folder, progress, total }: Copying,
): Promise<Copied> {
  const lines = new PassThrough();
  const listing = writeCompressed(place, `${folder}/objects.jsonl.gz`, lines as AsyncIterable<Buffer>);
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
    keys: createKeySet(),
  };
  const shares = sharesOf(total, progress);
  progress.now(() => `${shares(copied)}, ${copied.reused.toLocaleString('en')} of them there already`);
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
    const path = `objects/${key}`;
    const kept = await wholeAt(place, path, object);
    const loss = kept && (await lossOf(object));
    // Does not add the key to the copied keys, so that the cleanup at the end removes the copy.
    if (loss === 'erased') {
      miss(key, 'erased');
      return await note({ key, absent: 'erased' });
    }
    const found = kept ?? (await place.copyIn(object, path));
    if (!found) {
      if (object.optional) return;
      const absent = (await isErased(submissions, key)) ? 'erased' : 'missing';
      miss(key, absent);
      return await note({ key, absent });
    }
    if (differs(object, found)) miss(key, 'different');
    else if (loss === 'lost') lose(key);
    copied.keys.add(key);
    copied.count += 1;
    copied.bytes += found.bytes;
    if (kept) copied.reused += 1;
    progress.tick();
    await note({ key, size: found.bytes, sha256: found.sha256 });
  };
  try {
    await eachAtOnce(source, AT_ONCE, copy);
  } finally {
    lines.end();
  }
  return { ...copied, list: await listing };
}

const differs = ({ size, sha256 }: NamedObject, found: { bytes: number; sha256: string }): boolean =>
  (size !== undefined && size !== found.bytes) || (sha256 !== undefined && sha256 !== found.sha256);

/** Returns the copy of an earlier run, if the copy matches the record of the object. */
async function wholeAt(place: Place, path: string, object: NamedObject): Promise<Content | undefined> {
  const found = await place.held(path, object);
  return found && !differs(object, found) ? found : undefined;
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
