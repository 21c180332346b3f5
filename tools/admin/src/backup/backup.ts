import { BACKUP_LEASE } from '@recording-request/contract/backup-lease';
import { uuidv7 } from '@recording-request/kit/ids';
import { createLease, type Lease, takeLease } from '@recording-request/kit-mongo/lease';
import { createObjects, type Objects } from '@recording-request/kit-objects/objects';
import { storesOf } from '../address.ts';
import type { BackupCommand } from '../command.ts';
import type { Report } from '../run.ts';
import { NotDone } from '../run-erase.ts';
import { type Copied, copyObjects } from './copy-objects.ts';
import { type Dump, dump } from './dump.ts';
import { faultOf } from './fault.ts';
import { findManifest, type Manifest, writeManifest } from './manifest.ts';
import { chooseMoment } from './moment.ts';
import { namedObjects } from './named-objects.ts';
import { placeOf } from './open-place.ts';
import type { NamedObject, Place } from './place.ts';
import { createProgress, type Progress, unlessStalled } from './progress.ts';
import { type Databases, openDatabases, readSettings, type Settings } from './settings.ts';
import { stallMsOf } from './target-variables.ts';
import { claim, tidy } from './tidy.ts';

const LEASE_MS = 60_000;

/**
 * Makes a backup of the running system in a folder or bucket, or updates the backup there. The earlier backup stays
 * valid until the new one is complete. Fails with NotDone or a ConfigError; after a Stalled error, the caller must exit.
 */
export async function runBackup(
  env: NodeJS.ProcessEnv,
  command: BackupCommand,
  show: (line: string) => void,
  dataDir?: string,
): Promise<Report> {
  const stores = await storesOf(env, dataDir);
  const settings = readSettings(stores);
  const limitMs = stallMsOf(stores);
  const progress = createProgress(show);
  const objects = createObjects(settings);
  const place = placeOf({
    ...{ option: '--to', text: command.to, env: stores, settings, objects },
    tick: progress.tick,
  });
  return await unlessStalled(backUp({ place, objects, settings, progress, show }), progress, { limitMs });
}

interface Backup {
  place: Place;
  /** The product's bucket. */
  objects: Objects;
  settings: Settings;
  progress: Progress;
  show: (line: string) => void;
}

async function backUp(backup: Backup): Promise<Report> {
  const { place, settings, progress } = backup;
  progress.now(() => 'nothing');
  try {
    await using databases = await openDatabases(settings);
    await place.open({ isWritten: true });
    const system = await requireSystem(databases, place);
    // Until the backup has copied every object, this lease makes the services keep all objects that a record of the
    // moment names.
    const lease = createLease(databases.connection, BACKUP_LEASE, LEASE_MS);
    await using held = await takeLease(lease);
    if (!held)
      throw new NotDone(
        `Another backup runs, or was interrupted in the last ${LEASE_MS / 1_000} s: run this again after it has ended.`,
      );
    return await make({ ...backup, databases, system, lease });
  } catch (error) {
    throw faultOf(
      error,
      { settings, name: place.name },
      reason => `The backup was not completed: ${reason}. Run it again; copied objects are not copied twice.`,
    );
  }
}

interface Making extends Backup {
  databases: Databases;
  system: string;
  lease: Lease;
}

async function make({ place, objects, settings, progress, show, databases, system, lease }: Making): Promise<Report> {
  const started = performance.now();
  const startedAt = await claim(place);
  const id = uuidv7();
  let dumped: Dump;
  let clusterTime: Manifest['clusterTime'];
  let eventsLeft: number;
  show('waiting for a moment at which every event is stored');
  {
    await using moment = await chooseMoment(databases, settings);
    eventsLeft = moment.eventsLeft;
    clusterTime = { seconds: moment.clusterTime.getHighBits(), increment: moment.clusterTime.getLowBits() };
    dumped = await dump(databases, moment, { place, folder: id, progress });
  }
  const takenAt = new Date(clusterTime.seconds * 1_000).toISOString();
  show(
    `${dumped.documents.toLocaleString('en')} documents of ${takenAt} are written; copying the objects that they name`,
  );
  const named = () => namedObjects(place, dumped.databases.submissions!);
  const copied = await copyObjects(
    named(),
    { objects, submissions: databases.of('submissions') },
    { place, folder: id, progress, total: await totalOf(named(), progress) },
  );
  const { count, bytes, list, absent } = copied;
  const { databases: written } = dumped;
  // Checks the lease again: this process may have paused and lost the lease, and another process may have finished a
  // backup.
  if (!(await lease.hold()))
    throw new NotDone('This backup was paused for so long that another one has begun: that one continues.');
  await writeManifest(place, {
    ...{ format: 1, id, system, takenAt, clusterTime, databases: written, objects: { count, bytes, list } },
    ...{ absent, eventsLeft },
  });
  progress.now(() => 'the backup is complete; removing what it does not need');
  const removed = await tidy(place, { id, keys: copied.keys, startedAt });
  const seconds = Math.round((performance.now() - started) / 1_000);
  return report({ name: place.name, takenAt, seconds, ...removed, eventsLeft }, dumped, copied);
}

/**
 * Returns the system's id from the databases. The first backup creates the id. Fails if the databases are empty, or if
 * the place contains a backup of another system. Recreated databases count as another system, so that their backup
 * cannot replace the backup of the lost databases.
 */
async function requireSystem(databases: Databases, place: Place): Promise<string> {
  const submissions = databases.of('submissions');
  if (!(await submissions.collection('schema').findOne({})))
    throw new NotDone(
      `The database ${submissions.databaseName} has nothing to back up, because it was never migrated: check MONGO_URL and MONGO_DATABASE_PREFIX.`,
    );
  const systems = submissions.collection<{ _id: string; id: string }>('system');
  const before = await findManifest(place);
  const known = await systems.findOne({ _id: 'system' });
  if (before?.system && before.system !== known?.id)
    throw new NotDone(
      `${place.name} holds the backup of another system, of ${before.takenAt}, which this backup would replace: name another place. (Recreated databases count as another system: after a loss, restore that backup first.)`,
    );
  await systems.updateOne({ _id: 'system' }, { $setOnInsert: { id: uuidv7() } }, { upsert: true });
  return (await systems.findOne({ _id: 'system' }))!.id;
}

async function totalOf(
  named: AsyncIterable<NamedObject>,
  progress: Progress,
): Promise<{ count: number; bytes: number }> {
  const total = { count: 0, bytes: 0 };
  for await (const { size = 0 } of named) {
    progress.tick();
    total.count += 1;
    total.bytes += size;
  }
  return total;
}

interface Made {
  name: string;
  takenAt: string;
  seconds: number;
  removed: number;
  locked: number;
  eventsLeft: number;
}

function report(made: Made, { documents }: Dump, copied: Copied): Report {
  const { name, takenAt, seconds, removed, locked, eventsLeft } = made;
  const number = (count: number) => count.toLocaleString('en');
  const { count, bytes, reused, lost, absent, named } = copied;
  const lines = [
    `a complete backup of ${takenAt} is in ${name}, made in ${seconds} s`,
    `${number(documents)} documents; ${number(count)} objects of ${number(bytes)} bytes, ${number(reused)} of them there already`,
  ];
  if (removed > 0)
    lines.push(`${number(removed)} objects of the previous backup were removed: no record names them now`);
  if (locked > 0)
    lines.push(
      `${number(locked)} files that the backup does not need stay in the bucket, because its Object Lock keeps them: erased data can be read there until their retention ends, and a later backup removes them`,
    );
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
  const value = {
    ...{ place: name, takenAt, seconds, documents, objects: count, bytes, reused },
    ...{ lost, removed, locked, absent, eventsLeft },
  };
  return { lines, value, failed };
}
