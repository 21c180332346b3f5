import { SENDING_RECORD } from '@recording-request/contract/sending-record';
import { makeTopics } from '@recording-request/events/kafka';
import { TOPICS } from '@recording-request/events/topics';
import { createLogger } from '@recording-request/kit/log';
import { MIGRATE_COMMAND } from '@recording-request/kit/run-migration';
import { readProgress } from '@recording-request/kit-kafka/progress';
import { createLease, takeLease } from '@recording-request/kit-mongo/lease';
import { RESTORING } from '@recording-request/kit-mongo/migrations';
import { PROBE_KEY } from '@recording-request/kit-objects/checksum';
import { createObjects, type Objects } from '@recording-request/kit-objects/objects';
import { storesOf } from '../address.ts';
import type { RestoreCommand } from '../command.ts';
import { migrateAll } from '../migrate-all.ts';
import type { Report } from '../run.ts';
import { NotDone } from '../run-erase.ts';
import { RESUME_COMMAND } from '../webhooks.ts';
import { faultOf } from './fault.ts';
import { type AbsentObject, type ListedObject, type Manifest, readManifest, verifyFile } from './manifest.ts';
import { placeOf } from './open-place.ts';
import type { Place } from './place.ts';
import { createProgress, type Progress, sharesOf } from './progress.ts';
import { putDocuments } from './put-documents.ts';
import { DATABASES, type Databases, openDatabases, readSettings, type Settings } from './settings.ts';
import { eachAtOnce, readLines } from './streams.ts';

const LEASE_MS = 60_000;
const AT_ONCE = 8;

/**
 * Restores a backup into empty servers. It verifies everything before it writes. No service starts on a partial
 * restore, and the same command continues one. Fails with NotDone or a ConfigError.
 */
export async function runRestore(
  env: NodeJS.ProcessEnv,
  command: RestoreCommand,
  show: (line: string) => void,
  dataDir?: string,
): Promise<Report> {
  const stores = await storesOf(env, dataDir);
  const settings = readSettings(stores);
  const objects = createObjects(settings);
  const progress = createProgress(show);
  const place = placeOf({
    ...{ option: '--from', text: command.from, env: stores, settings, objects },
    tick: progress.tick,
  });
  const { name } = place;
  try {
    const started = performance.now();
    await place.open({ isWritten: false });
    const manifest = await readManifest(place);
    await using databases = await openDatabases(settings);
    const goesOn = await requireEmpty({ manifest, settings, databases, objects });
    // Detects, before the first write, the faults that would fail the migration at the end.
    await judgeTopics(settings);
    await verify(place, manifest, progress);
    await using lease = await takeLease(createLease(databases.connection, 'restore', LEASE_MS));
    if (!lease) throw new NotDone('Another restore into these databases runs: wait for its end.');
    // Checks again, because the verification may have taken hours.
    await requireEmpty({ manifest, settings, databases, objects });
    await objects.ensureBucket();
    await mark(databases, manifest.id);
    await putObjects(place, manifest, { objects, goesOn, progress });
    await putDocuments(place, manifest, databases, progress);
    await setSending(databases, command.sendWebhooks);
    // Checks again, because Kafka may have become unavailable. While the marks exist, the same command can continue.
    await judgeTopics(settings);
    for (const marks of marksIn(databases)) await marks.drop();
    await migrateAll(stores, show).catch(error => {
      throw faultOf(
        error,
        { settings, name },
        reason =>
          `All data is restored, but the migration at the end was not completed: ${reason}. Run ${MIGRATE_COMMAND}, which completes it; a second restore would find servers that are not empty.`,
      );
    });
    const result = report(name, manifest, Math.round((performance.now() - started) / 1_000));
    return await withWebhooks(result, databases, command.sendWebhooks);
  } catch (error) {
    throw faultOf(
      error,
      { settings, name },
      reason =>
        `The restore was not completed: ${reason}. No service starts on partial data. Run the restore again; it continues.`,
    );
  }
}

/** Fails when Kafka is unavailable or would not create the topics. */
const judgeTopics = (settings: Settings) =>
  makeTopics(settings, { report: () => {}, log: createLogger('restore', 'silent'), validateOnly: true });

const marksIn = (databases: Databases) =>
  DATABASES.map(name => databases.of(name).collection<{ _id: string; at: Date }>(RESTORING));

/** Sets the marks. While they exist, no migration changes these databases, and no service starts on them. */
async function mark(databases: Databases, id: string): Promise<void> {
  for (const marks of marksIn(databases)) await marks.replaceOne({ _id: id }, { at: new Date() }, { upsert: true });
  // Removes the migration record of each database, because the restore writes the backup's record.
  for (const name of DATABASES) await databases.of(name).collection('schema').drop();
}

interface Target {
  manifest: Manifest;
  settings: Settings;
  databases: Databases;
  objects: Objects;
}

const CLEAR = 'A restore needs empty servers: drop this data, or name other servers.';

/** Returns a sentence about what the operator can do if a database is not empty. */
async function remedyFor({ system }: Manifest, databases: Databases): Promise<string> {
  const systems = databases.of('submissions').collection<{ _id: string; id: string }>('system');
  const isOfBackup = (await systems.findOne({ _id: 'system' }))?.id === system;
  const marked = await Promise.all(marksIn(databases).map(marks => marks.findOne({})));
  // Marks of another backup mean a partial restore, which a migration does not complete.
  if (!isOfBackup || marked.some(mark => mark !== null)) return CLEAR;
  return `It holds the system of this backup: if a restore was interrupted after it had restored all data, ${MIGRATE_COMMAND} completes it. Otherwise drop it, or name other servers.`;
}

/** Returns whether a restore of this backup has begun on these servers. Fails with a NotDone that names any other data. */
async function requireEmpty({ manifest, settings, databases, objects }: Target): Promise<boolean> {
  for (const marks of marksIn(databases)) if (await marks.findOne({ _id: manifest.id })) return true;
  for (const name of DATABASES) {
    const database = databases.of(name);
    for (const { name: collection } of await database.listCollections({}, { nameOnly: true }).toArray()) {
      // A migrated but unused database has only this record.
      if (
        ['leases', 'schema', 'system', SENDING_RECORD.collection].includes(collection) ||
        collection.startsWith('system.')
      )
        continue;
      if (await database.collection(collection).findOne({}, { projection: { _id: 1 } }))
        throw new NotDone(
          `The database ${database.databaseName} is not empty: its collection ${collection} has documents. ${await remedyFor(manifest, databases)}`,
        );
    }
  }
  const bucket = settings.s3Bucket;
  const key = await keyIn(objects);
  if (key !== undefined) throw new NotDone(`The bucket ${bucket} is not empty: it has ${key}. ${CLEAR}`);
  await using progress = await readProgress(settings);
  for (const topic of TOPICS)
    if ((await progress.of(topic, 'restore')).kept > 0n)
      throw new NotDone(
        `The topic ${settings.kafkaTopicPrefix}${topic} is not empty: its records are about another system. Delete the topics, or set another KAFKA_TOPIC_PREFIX.`,
      );
  return false;
}

/** Returns undefined when the bucket is empty or missing. */
async function keyIn(objects: Objects): Promise<string | undefined> {
  try {
    for await (const { key } of objects.list('')) if (key !== PROBE_KEY) return key;
  } catch (error) {
    if ((error as { code?: string }).code !== 'NoSuchBucket') throw error;
  }
  return undefined;
}

async function verify(place: Place, manifest: Manifest, progress: Progress): Promise<void> {
  const files = Object.values(manifest.databases).flatMap(collections => collections.map(({ file }) => file));
  for (const file of [...files, manifest.objects.list]) await verifyFile(place, file);
  const shares = sharesOf(manifest.objects, progress);
  const verified = { count: 0, bytes: 0 };
  progress.now(() => `${shares(verified)} verified`);
  await eachAtOnce(listed(place, manifest), AT_ONCE, async ({ key, size, sha256 }) => {
    await verifyFile(place, { path: `objects/${key}`, bytes: size, sha256 }, progress.tick);
    verified.count += 1;
    verified.bytes += size;
  });
}

async function* listed(place: Place, { objects }: Manifest): AsyncGenerator<ListedObject> {
  for await (const entry of readLines<ListedObject | AbsentObject>(place, objects.list.path))
    if (!('absent' in entry)) yield { ...entry, key: inside(entry.key) };
}

function inside(key: string): string {
  if (key.split('/').includes('..')) throw new Error(`the list of objects names ${key}, which is not a key`);
  return key;
}

const TYPES: Record<string, string> = { jpg: 'image/jpeg', m4a: 'audio/mp4', mp4: 'video/mp4', webm: 'video/webm' };
const typeOf = (key: string): string => TYPES[/\.(\w+)$/.exec(key)?.[1] ?? ''] ?? 'application/octet-stream';

async function putObjects(
  place: Place,
  manifest: Manifest,
  { objects, goesOn, progress }: { objects: Objects; goesOn: boolean; progress: Progress },
): Promise<void> {
  const shares = sharesOf(manifest.objects, progress);
  const put = { count: 0, bytes: 0 };
  progress.now(() => `${shares(put)} restored`);
  await eachAtOnce(listed(place, manifest), AT_ONCE, async ({ key, size }) => {
    const isThere = goesOn && (await objects.stat(key))?.size === size;
    if (!isThere) await place.copyOut(`objects/${key}`, { key, size, contentType: typeOf(key) });
    put.count += 1;
    put.bytes += size;
    progress.tick();
  });
}

function report(name: string, { takenAt, objects, absent, eventsLeft, databases }: Manifest, seconds: number): Report {
  const number = (count: number) => count.toLocaleString('en');
  const documents = Object.values(databases)
    .flat()
    .reduce((sum, each) => sum + each.documents, 0);
  const lines = [
    `the backup of ${takenAt} in ${name} is restored, in ${seconds} s: ${number(documents)} documents, ${number(objects.count)} objects`,
  ];
  const gone = absent.erased + absent.missing;
  if (gone > 0)
    lines.push(`${number(gone)} objects were not in the backup (${number(absent.erased)} were erased while it ran)`);
  if (eventsLeft > 0) lines.push(`${number(eventsLeft)} events were not in the backup: their webhooks are not sent`);
  lines.push(
    'start the services with the SECRETS_KEY of that time, repeat all erasures since then, and run "check --deep"',
  );
  return { lines, value: { takenAt, seconds, documents, objects: objects.count, absent, eventsLeft } };
}

interface SendingDocument {
  _id: string;
  isPaused: boolean;
  since: Date;
}

/** Pauses webhooks, so that a trial restore sends nothing to real owners. Replaces the state of the backup. */
async function setSending(databases: Databases, isSent: boolean): Promise<void> {
  const records = databases.of('webhooks').collection<SendingDocument>(SENDING_RECORD.collection);
  const state = { isPaused: !isSent, since: new Date() };
  await records.replaceOne({ _id: SENDING_RECORD.id }, state, { upsert: true });
}

/** Adds the number of waiting webhooks to the report, and the command that sends them. */
async function withWebhooks({ lines, value }: Report, databases: Databases, isSent: boolean): Promise<Report> {
  const waiting = await databases.of('webhooks').collection('deliveries').countDocuments({ state: 'pending' });
  const count = waiting.toLocaleString('en');
  const line = isSent
    ? `${count} webhooks wait; webhooks sends them as soon as it starts`
    : `webhooks are paused: ${count} wait; once this system replaces the old one, ${RESUME_COMMAND} sends them`;
  return { lines: [...lines, line], value: { ...(value as object), webhooks: { paused: !isSent, waiting } } };
}
