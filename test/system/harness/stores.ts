import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { SecretBox } from '@recording-request/kit/secret-box';
import { connectMongo } from '@recording-request/kit-mongo/mongo';
import type { TestSystem } from '@recording-request/testing/test-system';
import { until } from '@recording-request/testing/wait';
import { Kafka, logLevel } from 'kafkajs';
import { Client } from 'minio';
import { mongo as driver } from 'mongoose';
import { SYSTEM_WAIT } from './limits.ts';

/** One item of a store: its bytes, and its place for a message. */
export interface Held {
  where: string;
  bytes: Buffer;
}

/** Reads all that a system has stored or published, directly from its servers. */
export interface Stores {
  /** Yields every document of every database as BSON. */
  documents(): AsyncIterable<Held>;
  /** Yields every text that `secrets` sealed in a document: the opened text and its place. */
  unsealed(secrets: SecretBox): AsyncIterable<Held>;
  /** Yields every version of every object. */
  objects(): AsyncIterable<Held>;
  /** Returns key, headers and value of every record in every topic up to its current end. */
  records(): Promise<Held[]>;
  /** Yields every log file of every service. */
  logs(): AsyncIterable<Held>;
  collection(database: string, name: string): ReturnType<typeof collectionOf>;
  command(database: string, command: Record<string, unknown>): Promise<Record<string, unknown>>;
  put(key: string, bytes: Buffer): Promise<void>;
  copy(from: string, to: string): Promise<void>;
  keys(prefix: string): Promise<string[]>;
  keepVersions(): Promise<void>;
  publish(topic: string, value: Buffer, headers?: Record<string, string>): Promise<void>;
  close(): Promise<void>;
}

type Mongo = Awaited<ReturnType<typeof connectMongo>>;
const collectionOf = (mongo: Mongo, database: string, name: string) =>
  mongo.getClient().db(database).collection<{ _id: string } & Record<string, unknown>>(name);

export async function openStores({ name, scratch }: Pick<TestSystem, 'name' | 'scratch'>): Promise<Stores> {
  const env = process.env as Record<string, string>;
  await using starting = new AsyncDisposableStack();
  const mongo = await connectMongo({ mongoUrl: env.MONGO_URL!, mongoDatabasePrefix: `${name}_` }, 'projects', 'test');
  starting.defer(() => mongo.close());
  const kafka = new Kafka({ clientId: 'test', brokers: env.KAFKA_BROKERS!.split(','), logLevel: logLevel.NOTHING });
  const producer = kafka.producer();
  await producer.connect();
  starting.defer(() => producer.disconnect());
  const started = starting.move();
  return {
    ...objectStore(name),
    logs: () => filesIn(join(scratch, 'logs')),
    documents: () => documentsOf(mongo, `${name}_`),
    unsealed: secrets => unsealedOf(documentsOf(mongo, `${name}_`), secrets),
    records: () => recordsOf(kafka, `${name}.`),
    collection: (database, collection) => collectionOf(mongo, `${name}_${database}`, collection),
    command: (database, command) => mongo.getClient().db(`${name}_${database}`).command(command),
    async publish(topic, value, headers = {}) {
      await producer.send({ topic: `${name}.${topic}`, messages: [{ value, headers }] });
    },
    close: () => started.disposeAsync(),
  };
}

function objectStore(bucket: string) {
  const env = process.env as Record<string, string>;
  const endpoint = new URL(env.S3_ENDPOINT!);
  const client = new Client({
    endPoint: endpoint.hostname,
    port: Number(endpoint.port || 80),
    useSSL: endpoint.protocol === 'https:',
    accessKey: env.S3_ACCESS_KEY!,
    secretKey: env.S3_SECRET_KEY!,
    pathStyle: true,
  });
  const versions = (prefix: string) => client.listObjects(bucket, prefix, true, { IncludeVersion: true });
  return {
    async *objects(): AsyncIterable<Held> {
      for await (const { name: key, versionId, isDeleteMarker } of versions('')) {
        if (String(isDeleteMarker) === 'true') continue;
        const parts: Buffer[] = [];
        const stream = await client.getObject(bucket, key, versionId ? { versionId } : {});
        for await (const chunk of stream) parts.push(chunk as Buffer);
        yield { where: `object ${key}`, bytes: Buffer.concat(parts) };
      }
    },
    async put(key: string, bytes: Buffer) {
      await client.putObject(bucket, key, bytes);
    },
    async copy(from: string, to: string) {
      await client.copyObject(bucket, to, `/${bucket}/${from}`);
    },
    async keys(prefix: string) {
      const keys: string[] = [];
      for await (const { name: key } of versions(prefix)) keys.push(key as string);
      return keys;
    },
    keepVersions: () => client.setBucketVersioning(bucket, { Status: 'Enabled' }),
  };
}

async function* documentsOf(mongo: Mongo, prefix: string): AsyncIterable<Held> {
  const client = mongo.getClient();
  const { databases } = await client.db('admin').admin().listDatabases();
  for (const { name } of databases.filter(database => database.name.startsWith(prefix))) {
    for (const { collectionName } of await client.db(name).collections()) {
      // The profiler of this test writes the system collections.
      if (collectionName.startsWith('system.')) continue;
      const cursor = client.db(name).collection(collectionName).find({}, { raw: true });
      for await (const document of cursor)
        yield { where: `document of ${name}.${collectionName}`, bytes: document as unknown as Buffer };
    }
  }
}

// A digest has the form of a sealed text, and cannot be opened.
const DIGESTS = ['personKey'];

async function* unsealedOf(documents: AsyncIterable<Held>, secrets: SecretBox): AsyncIterable<Held> {
  for await (const { where, bytes } of documents) {
    const document = driver.BSON.deserialize(bytes);
    const { _id: id, eventId, userId, key } = document;
    const contexts = ['invitation', 'reference', 'link', 'webhook', 'delivery'].map(kind => `${kind}:${id}`);
    contexts.push(`event:${eventId}`, `idempotency:${userId}:${key}`);
    for (const [field, text] of textsIn(document)) {
      if (DIGESTS.includes(field) || !/^k1\.[\w-]{39,}$/.test(text)) continue;
      const plain = contexts.map(context => openedBy(secrets, text, context)).find(each => each !== undefined);
      if (!plain) throw new Error(`${where} has a sealed text that this test cannot open: ${field}`);
      const isPacked = plain[0] === 0x1f && plain[1] === 0x8b;
      yield { where: `${where}, ${field}`, bytes: isPacked ? gunzipSync(plain) : plain };
    }
  }
}

function* textsIn(value: unknown, field = ''): Iterable<[field: string, text: string]> {
  if (typeof value === 'string') yield [field, value];
  else if (value !== null && typeof value === 'object')
    for (const [name, part] of Object.entries(value)) yield* textsIn(part, Array.isArray(value) ? field : name);
}

function openedBy(secrets: SecretBox, text: string, context: string): Buffer | undefined {
  try {
    return secrets.open(text, context);
  } catch {
    return undefined;
  }
}

async function recordsOf(kafka: Kafka, prefix: string): Promise<Held[]> {
  const admin = kafka.admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter(topic => topic.startsWith(prefix));
  const ends = new Map<string, number>();
  for (const topic of topics) {
    for (const { partition, high, low } of await admin.fetchTopicOffsets(topic))
      if (Number(high) > Number(low)) ends.set(`${topic}/${partition}`, Number(high));
  }
  await admin.disconnect();
  const held: Held[] = [];
  const groupId = `${prefix}audit-${Date.now()}`;
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 200 });
  await consumer.connect();
  await consumer.subscribe({ topics, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    async eachMessage({ topic, partition, message }) {
      const headers = Buffer.from(JSON.stringify(message.headers ?? {}, (_, value) => asText(value)));
      const bytes = Buffer.concat([message.key ?? Buffer.alloc(0), headers, message.value ?? Buffer.alloc(0)]);
      held.push({ where: `record of ${topic}`, bytes });
      const at = `${topic}/${partition}`;
      if (Number(message.offset) + 1 >= (ends.get(at) ?? 0)) ends.delete(at);
    },
  });
  await until('every record of every topic', async () => ends.size === 0, SYSTEM_WAIT);
  await consumer.disconnect();
  return held;
}

const asText = (value: unknown) =>
  (value as { type?: string } | null)?.type === 'Buffer'
    ? Buffer.from((value as { data: number[] }).data).toString()
    : value;

async function* filesIn(folder: string): AsyncIterable<Held> {
  for (const name of await readdir(folder)) yield { where: `log ${name}`, bytes: await readFile(join(folder, name)) };
}

/** Finds the items that contain any of the texts. Returns one line per place, such as `document of x.y holds the note`. */
export async function search(
  held: AsyncIterable<Held> | Iterable<Held>,
  needles: ReadonlyMap<string, string>,
): Promise<{ looked: number; found: string[] }> {
  const found = new Set<string>();
  let looked = 0;
  const wanted = [...needles].map(([text, what]) => ({ bytes: Buffer.from(text), what }));
  for await (const { where, bytes } of held) {
    looked += 1;
    for (const needle of wanted) if (bytes.includes(needle.bytes)) found.add(`${where} holds ${needle.what}`);
  }
  return { looked, found: [...found] };
}
