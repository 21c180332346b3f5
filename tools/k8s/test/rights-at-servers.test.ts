import '@recording-request/stack/testing/own-servers';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { loadConfig } from '@recording-request/kit/config';
import type { Migrate } from '@recording-request/kit/run-migration';
import { type Connection, connectMongo } from '@recording-request/kit-mongo/mongo';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { createObjects, isMissing, type Objects, type Store } from '@recording-request/kit-objects/objects';
import { readParts } from '@recording-request/kit-objects/read-parts';
import { objectVariables } from '@recording-request/kit-objects/variables';
import { ensure } from '@recording-request/stack/install/ensure';
import { ensureMinioClient } from '@recording-request/stack/install/minio-client';
import { startServers } from '@recording-request/stack/servers';
import { minioUsers } from '@recording-request/stack/servers/minio-users';
import { startMongoSet } from '@recording-request/stack/servers/mongo-set';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { Client } from 'minio';
import { createKeySet } from '../../admin/src/backup/key-set.ts';
import { placeOf } from '../../admin/src/backup/open-place.ts';
import { claim, tidy } from '../../admin/src/backup/tidy.ts';
import { ROOT } from '../src/repository.ts';
import { type MONGO_USERS, newMongoUsers, policyOf, STORE_USERS, TARGET_POLICY } from '../src/rights.ts';

type StoreUser = (typeof STORE_USERS)[number];
type MongoUserName = (typeof MONGO_USERS)[number];

const log = (line: string) => console.error(line);
const stack = new AsyncDisposableStack();
const urls = {} as Record<MongoUserName, string>;
const store = {} as Record<StoreUser, Store>;
/** The variables of the backup at the store. */
let backupEnv: NodeJS.ProcessEnv;

before(async () => {
  const { path: dataDir } = stack.use(await tempDir());
  const [installed, mc] = await Promise.all([ensure(['mongo'], log), ensureMinioClient({ env: process.env, log })]);
  const servers = stack.use(await startServers({ dataDir, only: ['s3'], log }));
  const mongo = stack.use(await startMongoSet(installed.mongo!, { dataDir, login: true, electionTimeoutMs: 1_000 }));
  const root = stack.adopt(await connectTo(mongo.url, 'admin'), each => each.close());
  for (const user of await newMongoUsers()) {
    await root.db!.command({ createUser: user.user, pwd: user.pwd, roles: user.roles });
    urls[user.user as MongoUserName] =
      `${mongo.url.replace(/:\/\/.*@/, `://${user.user}:${user.pwd}@`)}&authSource=admin`;
  }
  const users = minioUsers(mc, { endpoint: servers.s3.endpoint, keys: servers.s3, dataDir });
  for (const user of STORE_USERS) {
    const { accessKey, secretKey } = await users.add(policyOf(user), ...(user === 'backup' ? [TARGET_POLICY] : []));
    const env = { ...servers.env, S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey, S3_BUCKET: 'recording-request' };
    if (user === 'backup') backupEnv = env;
    store[user] = createObjects(loadConfig(env, objectVariables));
  }
  const ofBackups = { ...servers.env, S3_BUCKET: BACKUPS };
  await createObjects(loadConfig(ofBackups, objectVariables)).ensureBucket();
  const { endpoint, accessKey, secretKey } = servers.s3;
  const { hostname, port } = new URL(endpoint);
  const client = new Client({ endPoint: hostname, port: Number(port), useSSL: false, accessKey, secretKey });
  await client.setBucketVersioning(BACKUPS, { Status: 'Enabled' });
  // These are the operations of a migration at the store.
  assert.equal(await store.migrate.ensureBucket(), true);
  assert.equal(await store.migrate.ensureBucket(), false);
});
after(() => stack.disposeAsync());

const connectTo = (url: string, database: string): Promise<Connection> =>
  connectMongo(loadConfig({ MONGO_URL: url }, mongoVariables), database);

const isRefused = (error: unknown) => {
  const { code, cause } = error as { code?: string; cause?: { Code?: string } };
  assert.equal(code ?? cause?.Code, 'AccessDenied');
  return true;
};

const BACKUPS = 'recording-request-backup';
const CLIP = 'submissions/a-project/a-clip/';
/** More than one part, so that the client sends a multipart upload. */
const VIDEO_BYTES = 9 * 1024 * 1024;
const text = { contentType: 'text/plain' };

async function contentOf(objects: Objects, key: string): Promise<string> {
  return String(await buffer(await objects.get(key)));
}

describe('at an object store', () => {
  test('media reads an upload, stores its results repeatedly, and detects a missing object', async () => {
    const { submissions, media } = store;
    await submissions.put(`${CLIP}source`, Buffer.from('as it came'), text);
    await submissions.put('uploads/an-upload/0', Buffer.from('a part'), text);
    await media.requireBucket();
    assert.equal(await contentOf(media, `${CLIP}source`), 'as it came');
    assert.equal(await contentOf(media, 'uploads/an-upload/0'), 'a part');
    await assert.rejects(contentOf(media, 'submissions/a-project/gone/source'), isMissing);
    for (const _ of ['once', 'again']) {
      const video = Readable.from([Buffer.alloc(VIDEO_BYTES)], { objectMode: false });
      await media.put(`${CLIP}video.webm`, video, { contentType: 'video/webm', size: VIDEO_BYTES });
      for (const name of ['audio.m4a', 'thumbnail-small.jpg'])
        await media.put(`${CLIP}${name}`, Buffer.from('m'), text);
    }
    const listed = await Array.fromAsync(media.list(`${CLIP}video.`));
    assert.deepEqual(listed, [{ key: `${CLIP}video.webm`, size: VIDEO_BYTES }]);
  });

  test('media changes only its own objects, and deletes none', async () => {
    const { submissions, media } = store;
    await submissions.put(`${CLIP}transcript-1.json`, Buffer.from('{}'), text);
    for (const key of [`${CLIP}source`, `${CLIP}transcript-1.json`, 'uploads/an-upload/0', 'exports/a-project/a/0'])
      await assert.rejects(media.put(key, Buffer.from('other'), text), isRefused, key);
    for (const key of [`${CLIP}source`, `${CLIP}video.webm`]) await assert.rejects(media.remove([key]), isRefused, key);
    await assert.rejects(media.purge(CLIP), isRefused);
    await assert.rejects(media.get(`${CLIP}video.webm`), isRefused);
    assert.equal(await contentOf(submissions, `${CLIP}source`), 'as it came');
    assert.equal((await submissions.stat(`${CLIP}video.webm`))?.size, VIDEO_BYTES);
  });

  test('transcription only reads the sound and stores a transcript', async () => {
    const { submissions, transcription } = store;
    await submissions.put(`${CLIP}audio.m4a`, Buffer.from('sound'), text);
    assert.equal(await contentOf(transcription, `${CLIP}audio.m4a`), 'sound');
    await assert.rejects(transcription.get('submissions/a-project/gone/audio.m4a'), isMissing);
    await transcription.put(`${CLIP}transcript-2.json`, Buffer.from('{}'), text);
    for (const key of [`${CLIP}source`, `${CLIP}audio.m4a`, `${CLIP}video.webm`]) {
      await assert.rejects(transcription.put(key, Buffer.from('other'), text), isRefused, key);
      await assert.rejects(transcription.remove([key]), isRefused, key);
    }
    await assert.rejects(transcription.get(`${CLIP}source`), isRefused);
  });

  test('a backup reads all objects and changes none; a migration reads none', async () => {
    const { backup, migrate } = store;
    assert.equal(await contentOf(backup, `${CLIP}source`), 'as it came');
    assert.ok((await Array.fromAsync(backup.list(''))).length > 4);
    for (const objects of [backup, migrate]) {
      await assert.rejects(objects.put(`${CLIP}source`, Buffer.from('other'), text), isRefused);
      await assert.rejects(objects.remove([`${CLIP}source`]), isRefused);
    }
    await assert.rejects(migrate.get(`${CLIP}source`), isRefused);
  });

  for (const [way, more] of [
    ['as the store copies', {}],
    ['as a stream', { BACKUP_S3_REGION: 'us-east-1' }],
  ] as const)
    test(`a backup copies a clip ${way} to a bucket with versions, and removes all versions of what it does not need`, async () => {
      await store.submissions.put(`${CLIP}source`, Buffer.alloc(VIDEO_BYTES), text);
      const env = { ...backupEnv, ...more };
      const at = { text: `s3://${BACKUPS}/nightly`, env, settings: loadConfig(env, objectVariables) };
      const place = placeOf({ option: '--to', ...at, objects: store.backup, tick: () => {} });
      await place.open({ isWritten: true });
      const object = { key: `${CLIP}source`, size: VIDEO_BYTES, sha256: undefined, optional: false };
      for (const _ of ['once', 'again']) assert.ok(await place.copyIn(object, 'objects/it'));
      assert.ok(await place.held('objects/it', object));
      await place.write('backup-under-way', Readable.from([]));
      const { removed } = await tidy(place, { id: 'x', keys: createKeySet(), startedAt: await claim(place) });
      assert.equal(removed, 1);
      assert.deepEqual(await Array.fromAsync(place.list()), []);
    });

  test('submissions reads uploads, joins them, and erases a clip with every object under its prefix', async () => {
    const { submissions } = store;
    const parts = ['uploads/u/0', 'uploads/u/1'];
    for (const key of parts) await submissions.put(key, Buffer.alloc(6 * 1024 * 1024), text);
    const bytes = Readable.from(
      readParts(
        submissions,
        parts.map(key => ({ key, size: 6 * 1024 * 1024 })),
      ),
      { objectMode: false },
    );
    await submissions.put(`${CLIP}source`, bytes, { contentType: 'video/webm', size: 12 * 1024 * 1024 });
    await submissions.remove(parts);
    await submissions.endOpenPuts(new Date());
    const { objects } = await submissions.purge(CLIP, ['source', 'video.webm']);
    assert.ok(objects >= 6);
    assert.equal((await submissions.holdings(CLIP)).objects, 0);
  });
});

describe('at MongoDB', () => {
  const DATABASES = ['projects', 'submissions', 'webhooks'] as const;

  test('a migration brings each database to its schema, repeatedly', async () => {
    for (const name of DATABASES) {
      const { href } = pathToFileURL(join(ROOT, 'services', name, 'src/migrate.ts'));
      const { migrate } = (await import(href)) as { migrate: Migrate };
      for (const _ of ['once', 'again']) await migrate({ MONGO_URL: urls.migrate }, () => {});
    }
  });

  /** Returns the outcomes of a write and a read by a user in each database. */
  async function rightsOf(user: MongoUserName) {
    const outcomes: Record<string, string> = {};
    for (const name of DATABASES) {
      const connection = await connectTo(urls[user], name);
      const notes = connection.db!.collection<{ _id: string }>('notes');
      const attempt = (work: Promise<unknown>) =>
        work.then(
          () => true,
          error => {
            assert.equal((error as { codeName?: string }).codeName, 'Unauthorized');
            return false;
          },
        );
      const reads = await attempt(notes.findOne());
      const writes = await attempt(notes.updateOne({ _id: user }, { $set: { text: 'there' } }, { upsert: true }));
      outcomes[name] = [reads && 'reads', writes && 'writes'].filter(Boolean).join(' and ');
      await connection.close();
    }
    return outcomes;
  }

  const own = (name: string) => ({ projects: '', submissions: '', webhooks: '', [name]: 'reads and writes' });
  for (const user of DATABASES)
    test(`${user} has its own database and no other`, async () => {
      assert.deepEqual(await rightsOf(user), own(user));
    });

  test('a backup reads all three, and writes only where the leases of the relays are', async () => {
    assert.deepEqual(await rightsOf('backup'), {
      projects: 'reads and writes',
      submissions: 'reads and writes',
      webhooks: 'reads',
    });
  });

  test('no service creates a user, or drops another’s database', async () => {
    for (const user of DATABASES) {
      const admin = await connectTo(urls[user], 'admin');
      await assert.rejects(admin.db!.command({ createUser: 'another', pwd: 'p', roles: ['root'] }), {
        codeName: 'Unauthorized',
      });
      await admin.close();
      const other = await connectTo(urls[user], DATABASES.find(each => each !== user)!);
      await assert.rejects(other.db!.dropDatabase(), { codeName: 'Unauthorized' });
      await other.close();
    }
  });
});
