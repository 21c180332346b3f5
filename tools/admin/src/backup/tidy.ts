import { PROBE_KEY } from '@recording-request/kit-objects/checksum';
import { NotDone } from '../run-erase.ts';
import type { KeySet } from './key-set.ts';
import { FILE } from './manifest.ts';
import type { Entry, Place } from './place.ts';

/** The file that marks a place as the place of a backup until the first backup there is complete. */
const UNDER_WAY = 'backup-under-way';

const OBJECTS = 'objects/';
const GENERATION = /^([0-9a-f-]{36})\//;
const AT_ONCE = 1_000;

/**
 * Marks the place, and returns the time by the clock of the place. Fails if the place has other files, because these
 * could block a path of the backup or look like its objects.
 */
export async function claim(place: Place): Promise<Date> {
  const isBackup = (await place.entry(FILE)) ?? (await place.entry(UNDER_WAY));
  if (!isBackup)
    for await (const { path, isCurrent } of place.list())
      if (isCurrent && path !== PROBE_KEY)
        throw new NotDone(
          `${place.name} is not empty and holds no backup: name an empty place, or the place of an earlier backup.`,
        );
  async function* nothing() {}
  await place.write(UNDER_WAY, nothing());
  const marked = await place.entry(UNDER_WAY);
  if (!marked) throw new Error(`${place.name} does not list ${UNDER_WAY}, which was just stored`);
  return marked.modifiedAt;
}

/** The contents of a complete backup: its id, the keys of its objects, and its start by the clock of its place. */
export interface Needed {
  id: string;
  keys: KeySet;
  startedAt: Date;
}

/**
 * Removes everything that the complete backup does not need: the documents of earlier backups, objects that no record
 * names any more, objects of clips that were erased during the backup, and all earlier versions. Returns the number of
 * removed objects, and the number of files that a lock of the bucket protects.
 */
export async function tidy(place: Place, needed: Needed): Promise<{ removed: number; locked: number }> {
  const done = { removed: 0, locked: 0 };
  let batch: Entry[] = [];
  const flush = async () => {
    if (batch.length === 0) return;
    const locked = new Set(await place.remove(batch));
    const removed = ({ path, isCurrent }: Entry) => isCurrent && path.startsWith(OBJECTS) && !locked.has(path);
    done.locked += locked.size;
    done.removed += batch.filter(removed).length;
    batch = [];
  };
  for await (const entry of place.list()) {
    if (isNeeded(entry, needed)) continue;
    batch.push(entry);
    if (batch.length === AT_ONCE) await flush();
  }
  await flush();
  await place.endOpenWrites(needed.startedAt);
  return done;
}

function isNeeded({ path, modifiedAt, isCurrent }: Entry, { id, keys, startedAt }: Needed): boolean {
  if (!isCurrent) return false;
  // Keeps newer objects: if this process was paused, a later backup may have copied objects in the meantime.
  if (path.startsWith(OBJECTS)) return modifiedAt >= startedAt || keys.has(path.slice(OBJECTS.length));
  // Keeps files with a later id: an id begins with the start time of its backup.
  const generation = GENERATION.exec(path)?.[1];
  return generation === undefined ? path !== UNDER_WAY : generation >= id;
}
