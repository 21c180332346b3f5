import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { loadConfig } from '@recording-request/kit/config';
import { createObjects, type Store } from '@recording-request/kit-objects/objects';
import { objectVariables } from '@recording-request/kit-objects/variables';
import { Client } from 'minio';
import { runBackup } from '../src/backup/backup.ts';
import { bucketPlace } from '../src/backup/bucket-place.ts';
import { createKeySet } from '../src/backup/key-set.ts';
import { runRestore } from '../src/backup/restore.ts';
import { claim, tidy } from '../src/backup/tidy.ts';
import { type Backed, bytesOf, openBacked, pathsIn, placeNamed, rows, silent } from './backed-up.ts';
import { backupCases } from './backup-cases.ts';

const newBucket = () => `b${randomBytes(6).toString('hex')}`;

async function makeBucket(env: NodeJS.ProcessEnv): Promise<{ name: string; store: Store }> {
  const name = newBucket();
  const store = createObjects(loadConfig({ ...env, S3_BUCKET: name }, objectVariables));
  await store.ensureBucket();
  return { name, store };
}

// At the same store, with a prefix: the store itself copies the objects.
backupCases('a backup in a bucket', async ({ environment }) => {
  const { name } = await makeBucket(environment.env);
  return `s3://${name}/of/here`;
});

describe('a backup in a bucket', () => {
  let backed: Backed;
  let env: NodeJS.ProcessEnv;
  /** The variables of a store that the backup treats as different from the product's store. */
  let elsewhere: NodeJS.ProcessEnv;
  let objects: Store;
  let client: Client;
  before(async () => {
    backed = await openBacked();
    ({ env } = backed.environment);
    const { S3_ENDPOINT = '', S3_ACCESS_KEY = '', S3_SECRET_KEY = '' } = env;
    elsewhere = { ...env, BACKUP_S3_ENDPOINT: S3_ENDPOINT };
    Object.assign(elsewhere, { BACKUP_S3_ACCESS_KEY: S3_ACCESS_KEY, BACKUP_S3_SECRET_KEY: S3_SECRET_KEY });
    objects = createObjects(loadConfig(env, objectVariables));
    const { hostname, port } = new URL(S3_ENDPOINT);
    const keys = { accessKey: S3_ACCESS_KEY, secretKey: S3_SECRET_KEY };
    client = new Client({ endPoint: hostname, port: Number(port), useSSL: false, ...keys, pathStyle: true });
  });
  after(() => backed?.stack.disposeAsync());

  async function stored(key: string, bytes: Buffer) {
    await objects.put(key, bytes, { contentType: 'application/octet-stream' });
    return { key, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), optional: false };
  }

  const LONG = randomBytes(9 * 1024 * 1024);

  for (const [way, variables] of [
    ['the store copies', () => env],
    ['this process streams', () => elsewhere],
  ] as const)
    test(`${way}: a copy has the bytes and their verified SHA-256, also if the record has another or none`, async () => {
      const { name, store } = await makeBucket(env);
      const place = placeNamed(`s3://${name}/p`, variables());
      const long = await stored('uploads/long/0', LONG);
      const none = await stored('uploads/none/0', Buffer.alloc(0));
      for (const object of [long, none, { ...long, sha256: undefined }, { ...long, sha256: none.sha256 }]) {
        const content = { bytes: object.size, sha256: object.key === none.key ? none.sha256 : long.sha256 };
        assert.deepEqual(await place.copyIn(object, 'objects/copy'), content);
        assert.deepEqual(await place.held('objects/copy', object), content);
        const copy = await buffer((await place.read('objects/copy'))!);
        assert.equal(createHash('sha256').update(copy).digest('hex'), content.sha256);
      }
      assert.equal(await place.held('objects/copy', none), undefined, 'a copy of another size does not count');
      assert.equal(await place.copyIn({ ...long, key: 'uploads/gone/0' }, 'objects/gone'), undefined);
      assert.equal(await place.read('objects/gone'), undefined);
      await place.copyOut('objects/copy', { key: 'uploads/back/0', size: LONG.length, contentType: 'video/webm' });
      assert.ok((await buffer(await objects.get('uploads/back/0'))).equals(LONG));
      // Another program may have replaced the copy with other bytes of the same size.
      await store.put('p/objects/copy', Buffer.alloc(LONG.length), { contentType: 'video/webm' });
      assert.equal(await place.held('objects/copy', long), undefined);
    });

  test('at a store that computes no SHA-256, this process reads the bytes once, and the store copies them', async () => {
    const { name: bucket, store } = await makeBucket(env);
    const describe = async (key: string) => {
      const found = await store.describe(key);
      return found && { ...found, sha256: undefined };
    };
    let passed = 0;
    const place = bucketPlace({
      ...{ name: `s3://${bucket}`, bucket, prefix: '', endpoint: '', objects, target: { ...store, describe } },
      sameStore: { bucket: env.S3_BUCKET! },
      tick(bytes) {
        passed += bytes;
      },
      faultOf: error => error,
    });
    const long = await stored('uploads/plain/0', LONG);
    const content = { bytes: long.size, sha256: long.sha256 };
    await place.copyIn(await stored('uploads/first/0', Buffer.from('1')), 'objects/first');
    passed = 0;
    assert.deepEqual(await place.copyIn(long, 'objects/copy'), content);
    assert.equal(passed, LONG.length);
    assert.deepEqual(await place.held('objects/copy', long), content);
  });

  test('a second backup stores no object again', async () => {
    const { name, store } = await makeBucket(env);
    const submissions = await rows(backed.stores, 'submissions', 'submissions');
    const clip = { projectId: 'p', ownerId: 'o', linkId: 'l', responseId: 'r', questionIndex: 0, revision: 1 };
    for (const id of ['c1', 'c2'])
      await submissions.insertOne({
        _id: id,
        ...clip,
        responseId: id,
        video: await stored(`submissions/p/${id}/video.webm`, Buffer.from(id)),
      });
    const command = { name: 'backup', to: `s3://${name}` } as const;
    await runBackup(env, command, silent);
    const dates = async () => {
      const all = await Array.fromAsync(store.versions('objects/'));
      return all.map(({ key, modifiedAt }) => `${key} ${modifiedAt.toISOString()}`);
    };
    const before = await dates();
    assert.equal(before.length, 2);
    await runBackup(env, command, silent);
    assert.deepEqual(await dates(), before);
  });

  test('in a bucket with versions, an erased clip leaves no version', async () => {
    const { name, store } = await makeBucket(env);
    await client.setBucketVersioning(name, { Status: 'Enabled' });
    const command = { name: 'backup', to: `s3://${name}/kept` } as const;
    await runBackup(elsewhere, command, silent);
    // A cut backup has stored an object a second time.
    await store.put('kept/objects/submissions/p/c2/video.webm', Buffer.from('c2'), { contentType: 'video/webm' });
    await store.put('other/objects', Buffer.from('not of the backup'), { contentType: 'text/plain' });
    const submissions = await rows(backed.stores, 'submissions', 'submissions');
    await submissions.updateOne({ _id: 'c1' }, { $set: { erasedAt: new Date() }, $unset: { video: 1 } });
    const { value } = await runBackup(elsewhere, command, silent);
    assert.equal((value as Record<string, number>).removed, 1);
    const left = await Array.fromAsync(store.versions(''));
    assert.ok(left.every(({ isCurrent }) => isCurrent));
    assert.deepEqual(
      left.map(({ key }) => key).filter(key => !/^kept\/[0-9a-f-]{36}\//.test(key)),
      ['kept/manifest.json', 'kept/objects/submissions/p/c2/video.webm', 'other/objects'],
    );
  });

  test('reports files that a lock of the bucket keeps', async () => {
    const bucket = newBucket();
    await client.makeBucket(bucket, env.S3_REGION!, { ObjectLocking: true });
    const place = placeNamed(`s3://${bucket}`, env);
    await place.write('objects/held', bytesOf('held'));
    await client.setObjectLegalHold(bucket, 'objects/held', { status: 'ON' });
    await place.write('objects/free', bytesOf('free'));
    await place.write('backup-under-way', bytesOf(''));
    const startedAt = await claim(place);
    const none = { id: 'x', keys: createKeySet(), startedAt };
    assert.deepEqual(await tidy(place, none), { removed: 1, locked: 1 });
    assert.deepEqual(await pathsIn(place), ['objects/held']);
    await client.setObjectLegalHold(bucket, 'objects/held', { status: 'OFF' });
  });

  test('refuses the bucket of the clips and a missing bucket, and names the variables of the backup’s store', async () => {
    const to = (text: string, variables = env) => runBackup(variables, { name: 'backup', to: text }, silent);
    await assert.rejects(to(`s3://${env.S3_BUCKET}/backups`), /--to names the bucket of the product \(S3_BUCKET\)/);
    await assert.rejects(
      to('s3://nowhere-at-all'),
      /^Error: The bucket nowhere-at-all does not exist at http\S+: create it/,
    );
    const { name } = await makeBucket(env);
    await assert.rejects(
      to(`s3://${name}`, { ...elsewhere, BACKUP_S3_SECRET_KEY: 'wrong' }),
      /^StartError: The object store of the backup does not accept BACKUP_S3_ACCESS_KEY with BACKUP_S3_SECRET_KEY/,
    );
    await assert.rejects(
      runRestore(env, { name: 'restore', from: `s3://${name}`, sendWebhooks: false }, silent),
      /s3:\/\/\w+ holds no complete backup: it has no manifest\.json/,
    );
  });
});
