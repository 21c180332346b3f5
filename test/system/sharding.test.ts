/**
 * Tests the shard keys on two real MongoDB shards. Each collection is sharded with its indexes, its documents are on
 * both shards, unique fields stay unique across the shards, and a query with the shard key reaches one shard.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CollectionIndexes } from '@recording-request/kit-mongo/indexes';
import { collections as ofProjects } from '@recording-request/projects/store/models';
import { collections as ofSubmissions } from '@recording-request/submissions/store/models';
import { collectionsOf as ofWebhooks } from '@recording-request/webhooks/store/models';
import { type ShardedMongo, startShardedMongo } from './harness/sharded-mongo.ts';
import { shardings } from './harness/sharding.ts';

const COLLECTIONS: Record<string, readonly CollectionIndexes[]> = {
  projects: ofProjects,
  submissions: ofSubmissions,
  webhooks: ofWebhooks(86_400),
};

let mongo: ShardedMongo;
before(async () => {
  mongo = await startShardedMongo();
});
after(async () => await mongo[Symbol.asyncDispose]());

for (const [name, collections] of Object.entries(COLLECTIONS))
  test(`MongoDB shards every collection of ${name} by its key and spreads its documents`, async () => {
    const database = await mongo.createDatabase(name);
    const { keys } = shardings[name]!;
    for (const each of collections) {
      const key = keys[each.collection];
      if (!key) continue;
      await database.shard(each, key);
      if (!Object.values(key).includes('hashed')) continue;
      const [field] = Object.keys(key);
      // Uses only the fields of the unique indexes.
      const unique = each.indexes
        .filter(({ options }) => options.unique)
        .flatMap(({ keys: fields }) => Object.keys(fields));
      const documents = Array.from({ length: 60 }, (_, at) => ({
        _id: `id ${at}`,
        ...Object.fromEntries([field!, ...unique].map(path => [path, `${path} ${at}`])),
      }));
      await database.insert(each.collection, documents);
      const counts = await database.counts(each.collection);
      assert.ok(
        counts.every(count => count > 10),
        `${each.collection} of ${name} is spread: ${counts}`,
      );
      const carried = { [field!]: (documents[7] as Record<string, string>)[field!] };
      assert.equal((await database.targetShards(each.collection, carried)).length, 1, `${each.collection} by its key`);
    }
  });

test('unique fields stay unique across the shards, and a query without the shard key reaches both', async () => {
  const database = await mongo.createDatabase('rules');
  const { keys } = shardings.projects!;
  const of = (name: string) => ofProjects.find(({ collection }) => collection === name)!;
  for (const name of ['links', 'responses', 'hashes']) await database.shard(of(name), keys[name]!);
  const many = (make: (at: number) => object) => Array.from({ length: 20 }, (_, at) => make(at));
  await database.insert(
    'links',
    many(at => ({ _id: `link ${at}`, projectId: `project ${at}`, position: 1, hash: `${at}` })),
  );
  await database.insert(
    'responses',
    many(at => ({ _id: `link ${at}:a`, linkId: `link ${at}`, solo: true })),
  );
  await database.insert(
    'hashes',
    many(at => ({ _id: Buffer.from(`hash ${at}`), kind: 'link' })),
  );
  for (let at = 0; at < 20; at++) {
    const again = [
      ['links', { _id: `another ${at}`, projectId: `project ${at}`, position: 1 }],
      ['responses', { _id: `link ${at}:b`, linkId: `link ${at}`, solo: true }],
      ['hashes', { _id: Buffer.from(`hash ${at}`), kind: 'token' }],
    ] as const;
    for (const [collection, document] of again)
      await assert.rejects(database.insert(collection, [document]), /E11000/, `${collection} ${at}`);
  }
  assert.equal((await database.targetShards('links', { projectId: 'project 3', _id: 'link 3' })).length, 1);
  assert.equal((await database.targetShards('links', { hash: '3' })).length, 2);
});

test('MongoDB refuses a collection whose unique index does not begin with its key', async () => {
  const database = await mongo.createDatabase('refused');
  const links = { collection: 'links', indexes: [{ keys: { hash: 1 as const }, options: { unique: true } }] };
  await assert.rejects(database.shard(links, { projectId: 'hashed' }), /unique/);
});
