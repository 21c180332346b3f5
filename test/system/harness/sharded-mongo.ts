import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CollectionIndexes } from '@recording-request/kit-mongo/indexes';
import type { ShardKey } from '@recording-request/kit-mongo/shard-keys';
import { startChild } from '@recording-request/stack/child-process';
import { ensureMongod } from '@recording-request/stack/install/mongod';
import { freePort } from '@recording-request/stack/ports';
import { until } from '@recording-request/testing/wait';
import mongoose from 'mongoose';

type Client = mongoose.mongo.MongoClient;
type Answer = mongoose.mongo.BSON.Document;

/**
 * Two MongoDB shards and a config server, without mongos, because no package registry has mongos. This harness sends
 * the commands that mongos sends. A shard routes the commands of its transactions (`clusterInsert`, `clusterAggregate`)
 * itself.
 */
export interface ShardedMongo extends AsyncDisposable {
  /** Creates a database on the first shard; its collections can be sharded. */
  createDatabase(name: string): Promise<ShardedDatabase>;
}

export interface ShardedDatabase {
  /** Shards an empty collection with its indexes. Rejects with MongoDB's error. */
  shard(collection: CollectionIndexes, key: NonNullable<ShardKey>): Promise<void>;
  /** Inserts through a router. Rejects when a shard refuses a document. */
  insert(collection: string, documents: object[]): Promise<void>;
  /** Returns the shards to which a router sends a query with this filter. */
  targetShards(collection: string, filter: object): Promise<string[]>;
  /** Returns the number of documents on each shard. */
  counts(collection: string): Promise<number[]>;
}

const SHARDS = ['one', 'two'];
const MAJORITY = { writeConcern: { w: 'majority', wtimeout: 20_000 } };
const LIMIT = { limitMs: 60_000 };

export async function startShardedMongo(): Promise<ShardedMongo> {
  const mongod = await ensureMongod({ env: process.env, log: () => {} });
  await using starting = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-shards-'));
  starting.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const start = async (name: string, role: string) => startMember(starting, mongod, join(dir, name), name, role);
  const [config, ...shards] = await Promise.all([
    start('config', '--configsvr'),
    ...SHARDS.map(name => start(name, '--shardsvr')),
  ]);
  const admin = config!.client.db('admin');
  for (const { name, address } of shards)
    await admin.command({ _configsvrAddShard: `${name}/${address}`, name, ...MAJORITY });
  const started = starting.move();
  return {
    async createDatabase(database) {
      const created = { _configsvrCreateDatabase: database, primaryShardId: SHARDS[0], enableSharding: true };
      const { databaseVersion } = await admin.command({ ...created, ...MAJORITY });
      return onShards(
        database,
        shards.map(({ client }) => client),
        databaseVersion,
      );
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

interface Member {
  name: string;
  address: string;
  client: Client;
}

async function startMember(
  stack: AsyncDisposableStack,
  mongod: string,
  dbPath: string,
  name: string,
  role: string,
): Promise<Member> {
  await mkdir(dbPath);
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const thrift = ['--wiredTigerCacheSizeGB', '0.25', '--oplogSize', '64', '--nounixsocket'];
  const quick = ['shutdownTimeoutMillisForSignaledShutdown=100', 'diagnosticDataCollectionEnabled=false'];
  const child = await startChild({
    name,
    command: mongod,
    args: [
      ...[role, '--replSet', name, '--bind_ip', '127.0.0.1', '--port', String(port), '--dbpath', dbPath, ...thrift],
      ...quick.flatMap(one => ['--setParameter', one]),
    ],
    env: process.env,
    logFile: `${dbPath}.log`,
  });
  stack.defer(async () => void (await child.stop(10_000)));
  await until(`${name} listens`, () => isThere(port), LIMIT);
  const client = new mongoose.mongo.MongoClient(`mongodb://${address}/?directConnection=true`, {
    serverSelectionTimeoutMS: 5_000,
  });
  stack.defer(() => client.close());
  const members = [{ _id: 0, host: address }];
  const config = { _id: name, ...(role === '--configsvr' && { configsvr: true }), members };
  const admin = client.db('admin');
  await admin.command({ replSetInitiate: config });
  await until(`${name} is primary`, async () => (await admin.command({ hello: 1 })).isWritablePrimary, LIMIT);
  return { name, address, client };
}

async function isThere(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function onShards(database: string, shards: Client[], databaseVersion: unknown): ShardedDatabase {
  const [first] = shards.map(client => client.db(database));
  const asRouter = (command: Answer) => first!.command(command);
  return {
    async shard({ collection, indexes }, key) {
      // Adds the index of the shard key after the collection and its other indexes exist, as an operator does.
      const specifications = indexes.map(({ keys, options }, at) => ({ name: `index ${at}`, ...options, key: keys }));
      await first!.collection(collection).createIndexes([...specifications, { name: 'shard key', key: key as never }]);
      // Splits the hashes between the shards from the beginning.
      const chunks = Object.values(key).includes('hashed') ? { numInitialChunks: 4 } : {};
      await first!.command({
        _shardsvrCreateCollection: collection,
        ...{ shardKey: key, unique: false, ...chunks, presplitHashedZones: false, databaseVersion },
        ...MAJORITY,
      });
    },
    async insert(collection, documents) {
      const { writeErrors } = await asRouter({ clusterInsert: collection, documents, ordered: false });
      if (writeErrors?.length > 0) throw new Error(writeErrors[0].errmsg);
    },
    async targetShards(collection, filter) {
      const pipeline = [{ $match: filter }];
      const { shards: targets } = await asRouter({ clusterAggregate: collection, pipeline, cursor: {}, explain: true });
      return Object.keys(targets);
    },
    counts: collection =>
      Promise.all(shards.map(client => client.db(database).collection(collection).countDocuments({}))),
  };
}
