import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BACKUP_LEASE } from '@recording-request/contract/backup-lease';
import { uuidv7 } from '@recording-request/kit/ids';
import { createLease, type Lease, takeLease } from '@recording-request/kit-mongo/lease';
import { createObjects } from '@recording-request/kit-objects/objects';
import { storesOf } from '../address.ts';
import type { BackupCommand } from '../command.ts';
import type { Report } from '../run.ts';
import { NotDone } from '../run-erase.ts';
import { type Copied, copyObjects, prune } from './copy-objects.ts';
import { type Dump, dump } from './dump.ts';
import { faultOf } from './fault.ts';
import { findManifest, type Manifest, writeManifest } from './manifest.ts';
import { chooseMoment } from './moment.ts';
import { namedObjects } from './named-objects.ts';
import { type Databases, openDatabases, readSettings, type Settings } from './settings.ts';

const LEASE_MS = 60_000;
const UNDER_WAY = 'backup-under-way';
const GENERATION = /^[0-9a-f-]{36}$/;

/**
 * Makes a backup of the running system in a folder, or updates the backup there. The earlier backup stays valid until
 * the new one is complete. Fails with NotDone or a ConfigError.
 */
export async function runBackup(
  env: NodeJS.ProcessEnv,
  command: BackupCommand,
  show: (line: string) => void,
  dataDir?: string,
): Promise<Report> {
  const settings = readSettings(await storesOf(env, dataDir));
  const dir = resolve(command.to);
  try {
    await using databases = await openDatabases(settings);
    const system = await requireSystem(databases, dir);
    await claim(dir);
    // Until every object is copied, this lease makes the services keep all objects that a record of the moment names.
    const lease = createLease(databases.connection, BACKUP_LEASE, LEASE_MS);
    await using held = await takeLease(lease);
    if (!held)
      throw new NotDone(
        `Another backup runs, or was interrupted in the last ${LEASE_MS / 1_000} s: run this again after it has ended.`,
      );
    return await make(dir, { settings, databases, system, lease, show });
  } catch (error) {
    throw faultOf(
      error,
      { settings, dir },
      reason => `The backup was not completed: ${reason}. Run it again; copied objects are not copied twice.`,
    );
  }
}

interface Making {
  settings: Settings;
  databases: Databases;
  system: string;
  lease: Lease;
  show: (line: string) => void;
}

async function make(dir: string, { settings, databases, system, lease, show }: Making): Promise<Report> {
  const started = performance.now();
  // Sets the time of every file explicitly, because a shared folder may have a different clock.
  const stamp = new Date(Math.floor(Date.now() / 1_000) * 1_000);
  const id = uuidv7();
  let dumped: Dump;
  let clusterTime: Manifest['clusterTime'];
  let eventsLeft: number;
  show('waiting for a moment at which every event is stored');
  {
    await using moment = await chooseMoment(databases, settings);
    eventsLeft = moment.eventsLeft;
    clusterTime = { seconds: moment.clusterTime.getHighBits(), increment: moment.clusterTime.getLowBits() };
    dumped = await dump(databases, moment, { dir, folder: id, show });
  }
  const takenAt = new Date(clusterTime.seconds * 1_000).toISOString();
  show(
    `${dumped.documents.toLocaleString('en')} documents of ${takenAt} are written; copying the objects that they name`,
  );
  const copied = await copyObjects(
    namedObjects(dir, dumped.databases.submissions!),
    { objects: createObjects(settings), submissions: databases.of('submissions') },
    { dir, folder: id, stamp, show },
  );
  const { count, bytes, list, absent } = copied;
  const { databases: written } = dumped;
  // Checks the lease again: this process may have paused and lost the lease, and another process may have finished a
  // backup.
  if (!(await lease.hold()))
    throw new NotDone('This backup was paused for so long that another one has begun: that one continues.');
  await writeManifest(dir, {
    ...{ format: 1, id, system, takenAt, clusterTime, databases: written, objects: { count, bytes, list } },
    ...{ absent, eventsLeft },
  });
  const removed = await tidy(dir, id, stamp);
  const seconds = Math.round((performance.now() - started) / 1_000);
  return report({ dir, takenAt, seconds, removed, eventsLeft }, dumped, copied);
}

/**
 * Returns the system's id from the databases. The first backup creates the id. Fails when the databases are empty, or
 * when the folder holds the backup of another system. Recreated databases count as another system, so their backup
 * cannot replace the backup of the lost databases.
 */
async function requireSystem(databases: Databases, dir: string): Promise<string> {
  const submissions = databases.of('submissions');
  if (!(await submissions.collection('schema').findOne({})))
    throw new NotDone(
      `The database ${submissions.databaseName} has nothing to back up, because it was never migrated: check MONGO_URL and MONGO_DATABASE_PREFIX.`,
    );
  const systems = submissions.collection<{ _id: string; id: string }>('system');
  const before = await findManifest(dir);
  const known = await systems.findOne({ _id: 'system' });
  if (before?.system && before.system !== known?.id)
    throw new NotDone(
      `${dir} holds the backup of another system, of ${before.takenAt}, which this backup would replace: name another folder. (Recreated databases count as another system: after a loss, restore that backup first.)`,
    );
  await systems.updateOne({ _id: 'system' }, { $setOnInsert: { id: uuidv7() } }, { upsert: true });
  return (await systems.findOne({ _id: 'system' }))!.id;
}

/**
 * Fails for a folder with other files, because such files could block a path of the backup or look like its objects.
 */
async function claim(dir: string): Promise<void> {
  await mkdir(join(dir), { recursive: true, mode: 0o700 });
  const entries = await readdir(dir);
  if (entries.length > 0 && !entries.includes('manifest.json') && !entries.includes(UNDER_WAY))
    throw new NotDone(
      `${dir} is not empty and holds no backup: name an empty folder, or the folder of an earlier backup.`,
    );
  await mkdir(join(dir, 'objects'), { recursive: true });
  await writeFile(join(dir, UNDER_WAY), '');
}

/** Removes the objects that only the earlier backup needs. Returns their number. */
async function tidy(dir: string, id: string, stamp: Date): Promise<number> {
  // An id begins with the time at which its backup started. Folders with a later id stay.
  for (const entry of await readdir(dir))
    if (GENERATION.test(entry) && entry < id) await rm(join(dir, entry), { recursive: true });
  const removed = await prune(dir, stamp);
  await rm(join(dir, UNDER_WAY), { force: true });
  return removed;
}

interface Made {
  dir: string;
  takenAt: string;
  seconds: number;
  removed: number;
  eventsLeft: number;
}

function report({ dir, takenAt, seconds, removed, eventsLeft }: Made, { documents }: Dump, copied: Copied): Report {
  const number = (count: number) => count.toLocaleString('en');
  const { count, bytes, reused, lost, absent, named } = copied;
  const lines = [
    `a complete backup of ${takenAt} is in ${dir}, made in ${seconds} s`,
    `${number(documents)} documents; ${number(count)} objects of ${number(bytes)} bytes, ${number(reused)} of them there already`,
  ];
  if (removed > 0)
    lines.push(`${number(removed)} objects of the previous backup were removed: no record names them now`);
  if (absent.erased > 0)
    lines.push(`${number(absent.erased)} objects were erased meanwhile: erase their clips again after a restore`);
  if (absent.missing > 0) lines.push(`${number(absent.missing)} objects that records name are not in the store`);
  if (absent.different > 0)
    lines.push(`${number(absent.different)} objects differ from their records, and were copied as they are`);
  if (lost > 0)
    lines.push(
      `${number(lost)} objects are complete in the backup, but the store has lost or changed them since: restore them`,
    );
  lines.push(...named.map(line => `  ${line}`));
  if (eventsLeft > 0)
    lines.push(
      `${number(eventsLeft)} events were only in Kafka and are not in the backup: their consumers did not take them within a minute`,
    );
  lines.push('SECRETS_KEY is not in the backup: keep it in another place');
  const failed = lost > 0 || absent.missing > 0 || absent.different > 0 || eventsLeft > 0;
  const value = { dir, takenAt, seconds, documents, objects: count, bytes, reused, lost, removed, absent, eventsLeft };
  return { lines, value, failed };
}
