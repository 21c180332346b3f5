import { Kafka, logLevel } from 'kafkajs';
import { Client } from 'minio';
import mongoose from 'mongoose';
import { type ConsumerLag, consumerLags } from './consumer-lag.ts';
import type { Expectations } from './expectations.ts';

/** The names of the places with a run's data. */
export interface LeftoversOptions {
  env: Record<string, string>;
  databasePrefix: string;
  topicPrefix: string;
  bucket: string;
}

/** Finds data that a service at rest must not have. Only this code of the suite reads the servers directly. */
export interface Leftovers extends AsyncDisposable {
  violations(expected: Expectations): Promise<string[]>;
  /** Returns the lag of each consumer group. */
  lags(): Promise<ConsumerLag[]>;
  /** Removes the databases, the topics and the bucket of the run. */
  erase(): Promise<void>;
}

export async function openLeftovers(options: LeftoversOptions): Promise<Leftovers> {
  const { env, databasePrefix, topicPrefix, bucket } = options;
  const mongo = await mongoose.createConnection(env.MONGO_URL!, { serverSelectionTimeoutMS: 30_000 }).asPromise();
  const database = (name: string) => mongo.useDb(databasePrefix + name, { useCache: true }).db!;
  const admin = new Kafka({ brokers: env.KAFKA_BROKERS!.split(','), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const s3 = storeOf(env);
  return {
    async violations(expected) {
      return [
        ...(await submissionsLeft(database('submissions'), s3, bucket, expected)),
        ...(await otherServicesLeft(database('projects'), database('webhooks'))),
        ...(await recordsLeft(admin, topicPrefix, expected)),
      ];
    },
    lags: () => consumerLags(admin, topicPrefix),
    async erase() {
      for (const name of ['submissions', 'projects', 'webhooks']) await database(name).dropDatabase();
      const mine = (await admin.listTopics()).filter(topic => topic.startsWith(topicPrefix));
      await admin.deleteTopics({ topics: mine });
      for await (const { name } of s3.listObjectsV2(bucket, '', true)) await s3.removeObject(bucket, name);
      await s3.removeBucket(bucket);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([mongo.close(), admin.disconnect()]);
    },
  };
}

function storeOf(env: Record<string, string>): Client {
  const { hostname, port } = new URL(env.S3_ENDPOINT!);
  return new Client({
    endPoint: hostname,
    port: Number(port),
    useSSL: false,
    accessKey: env.S3_ACCESS_KEY!,
    secretKey: env.S3_SECRET_KEY!,
    region: env.S3_REGION ?? 'us-east-1',
  });
}

interface ClipRow {
  _id: string;
  mediaStatus: string;
  sourceHeldUntil?: Date;
  source?: { parts?: { key: string }[] };
}

async function submissionsLeft(
  database: mongoose.mongo.Db,
  s3: Client,
  bucket: string,
  expected: Expectations,
): Promise<string[]> {
  const violations: string[] = [];
  const say = (count: number, what: string) => count > 0 && violations.push(`${count} ${what}`);
  const uploads = database.collection<{ _id: string; state: string }>('uploads');
  const submissions = database.collection<ClipRow>('submissions');
  const now = new Date();
  say(await submissions.countDocuments({ 'outbox.at': { $exists: true } }), 'submissions have unpublished events');
  say(await submissions.countDocuments({ job: { $type: 'object' } }), 'submissions have an open job');
  say(await uploads.countDocuments({ 'writer.until': { $gt: now } }), 'uploads have a writer’s lease');
  say(await uploads.countDocuments({ 'worker.until': { $gt: now } }), 'uploads have a landing’s lease');
  say(await uploads.countDocuments({ state: 'finishing' }), 'uploads are still landing');
  const open = await uploads.find({ state: { $in: ['uploading', 'refused', 'deleted'] } }).toArray();
  if (expected.holdsEnd)
    say(open.length, `uploads exist after their hold (${open.map(({ state }) => state).join(', ')})`);
  const holding = new Set(open.filter(({ state }) => state === 'uploading').map(({ _id }) => _id));
  const rows = await submissions.find({}, { projection: { mediaStatus: 1, sourceHeldUntil: 1, source: 1 } }).toArray();
  const media = new Map(rows.map(it => [it._id, it.mediaStatus]));
  // A running download of project.zip may still need uploads that had no media when the download began.
  const held = new Set(rows.filter(it => it.sourceHeldUntil).map(it => it._id));
  // A clip without a stored video keeps its upload.
  const named = new Set(
    rows
      .filter(({ _id, mediaStatus }) => mediaStatus !== 'ready' || held.has(_id))
      .flatMap(({ source }) => source?.parts ?? [])
      .map(({ key }) => key),
  );
  for await (const { name } of s3.listObjectsV2(bucket, '', true)) {
    const [kind, first, second, file] = name!.split('/') as [string, string, string, string];
    if (kind === 'uploads' && !holding.has(first) && !named.has(name!))
      violations.push(`upload ${first} has left a part`);
    if (kind === 'submissions' && !media.has(second))
      violations.push(`${file} remains of ${second}, which is not a submission`);
    if (kind === 'submissions' && file === 'source' && media.get(second) === 'ready' && !held.has(second))
      violations.push(`the upload remains, although ${second} has a video`);
  }
  for await (const { key } of s3.listIncompleteUploads(bucket, '', true))
    violations.push(`a multipart upload is open: ${key}`);
  return violations;
}

async function otherServicesLeft(projects: mongoose.mongo.Db, webhooks: mongoose.mongo.Db): Promise<string[]> {
  const violations: string[] = [];
  const say = (count: number, what: string) => count > 0 && violations.push(`${count} ${what}`);
  const responses = projects.collection('responses');
  say(
    await responses.countDocuments({ transfer: { $exists: true, $ne: null } }),
    "responses' uses are between two states",
  );
  say(
    await projects.collection('projects').countDocuments({ usesChange: { $ne: null } }),
    "changes of a shared link's uses are in progress",
  );
  const deliveries = webhooks.collection('deliveries');
  say(await deliveries.countDocuments({ lease: { $exists: true } }), 'deliveries have a lease');
  say(await deliveries.countDocuments({ state: { $ne: 'delivered' } }), 'deliveries are not delivered');
  return violations;
}

async function recordsLeft(
  admin: ReturnType<Kafka['admin']>,
  prefix: string,
  expected: Expectations,
): Promise<string[]> {
  const violations = (await consumerLags(admin, prefix))
    .filter(({ records }) => records > 0)
    .map(({ records, topic, group }) => `${group} has not read ${records} records of ${topic}`);
  const deadLetters = (await admin.fetchTopicOffsets(`${prefix}parked`)).reduce(
    (sum, { high }) => sum + Number(high),
    0,
  );
  if (deadLetters > 0 && !expected.deadLetters) violations.push(`${deadLetters} records are in the dead-letter topic`);
  return violations;
}
