import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { BACKUP_LEASE } from '@recording-request/contract/backup-lease';
import { createLease, takeLease } from '@recording-request/kit-mongo/lease';
import { requireSchema } from '@recording-request/kit-mongo/migrations';
import { type TestEnvironment, testEnvironment } from '@recording-request/testing/environment';
import { type TestStores, testStores } from '@recording-request/testing/test-stores';
import { mongo } from 'mongoose';
import { runBackup } from '../src/backup/backup.ts';
import { copyObjects } from '../src/backup/copy-objects.ts';
import { createKeySet } from '../src/backup/key-set.ts';
import type { Place } from '../src/backup/place.ts';
import { createProgress } from '../src/backup/progress.ts';
import { runRestore } from '../src/backup/restore.ts';
import { claim, tidy } from '../src/backup/tidy.ts';
import { migrateAll } from '../src/migrate-all.ts';
import {
  type Backed,
  bytesOf,
  makeTopics,
  openBacked,
  pathsIn,
  placeNamed,
  type Rows,
  removeFrom,
  rows,
  silent,
} from './backed-up.ts';

const { Double, Int32, Long } = mongo.BSON;
const EXACT = { promoteValues: false } as const;

/** The cases that every place of a backup must pass. `freshPlace` returns the name of an empty place. */
export function backupCases(kind: string, freshPlace: (backed: Backed) => Promise<string>): void {
  describe(kind, () => {
    let backed: Backed;
    let to: string;
    let place: Place;
    let environment: TestEnvironment;
    let stores: TestStores;
    let stack: AsyncDisposableStack;
    before(async () => {
      backed = await openBacked();
      ({ environment, stores, stack } = backed);
      to = await freshPlace(backed);
      place = placeNamed(to, environment.env);
    });
    after(() => stack?.disposeAsync());

    /** Stores the bytes, and returns the fields of a record for them. */
    async function stored(key: string, text: string) {
      const bytes = Buffer.from(text);
      await stores.objects().put(key, bytes, { contentType: 'application/octet-stream' });
      return { key, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
    }

    const backup = (at: string, show: (line: string) => void = silent) =>
      runBackup(environment.env, { name: 'backup', to: at }, show);

    /** Returns the variables of empty servers: different names of databases, topics and bucket. */
    function emptyServers() {
      const other = testEnvironment();
      const there = stack.use(testStores(other));
      const restore = (sendWebhooks = false) =>
        runRestore(other.env, { name: 'restore', from: to, sendWebhooks }, silent);
      return { ...other, stores: there, restore };
    }

    async function nothingIn({ env, stores: there }: ReturnType<typeof emptyServers>): Promise<void> {
      const { db } = await there.database('submissions');
      assert.deepEqual(
        await db!.listCollections().toArray(),
        [],
        `${env.MONGO_DATABASE_PREFIX}submissions stays empty`,
      );
      await assert.rejects(Array.fromAsync(there.objects().list('')), { code: 'NoSuchBucket' }, 'no bucket is made');
    }

    const manifestOf = async (of: Place) => JSON.parse(await text((await of.read('manifest.json'))!));

    test('a backup restored into empty servers has the same documents, indexes and objects', async () => {
      const [submissions, uploads] = [
        await rows(stores, 'submissions', 'submissions'),
        await rows(stores, 'submissions', 'uploads'),
      ];
      const clip = { projectId: 'p', ownerId: 'o', linkId: 'l', responseId: 'r', questionIndex: 0, revision: 1 };
      const numbers = {
        int: new Int32(1),
        long: new Long(1),
        double: new Double(1),
        at: new Date(),
        bytes: Buffer.from('b'),
      };
      const video = await stored('submissions/p/s1/video.webm', 'a video');
      // The original upload of a clip with a separate video may be missing.
      await submissions.insertOne({
        _id: 's1',
        ...clip,
        ...numbers,
        video,
        source: { key: 'submissions/p/s1/source', size: 1 },
      });
      await submissions.insertOne({
        _id: 's2',
        ...clip,
        questionIndex: 1,
        source: await stored('submissions/p/s2/source', 'as it came'),
      });
      const part = await stored('uploads/u1/0', 'some bytes');
      await uploads.insertOne({
        _id: 'u1',
        state: 'uploading',
        projectId: 'p',
        offset: 10,
        parts: [{ ...part, offset: 0 }],
      });
      // This upload is joined but has not landed. Its parts may be missing, but the joined object must exist.
      const whole = await stored('submissions/p/s3/source', 'put together');
      const landing = {
        _id: 'u2',
        state: 'finishing',
        projectId: 'p',
        submissionId: 's3',
        offset: whole.size,
        sha256: whole.sha256,
      };
      await uploads.insertOne({ ...landing, isPaged: true, parts: [{ key: 'uploads/u2/0', offset: 0, size: 12 }] });
      // One clip keeps its uploaded format, and another is landing. Both consist of parts.
      const inParts = [await stored('uploads/u7/0', 'as it '), await stored('uploads/u7/6', 'came')];
      await submissions.insertOne({
        _id: 's7',
        ...clip,
        questionIndex: 2,
        source: { key: 'uploads/u7/', uploadId: 'u7', size: 10, parts: inParts },
      });
      const { sha256: _, ...last } = await stored('uploads/u8/0', 'all of it');
      await uploads.insertOne({ ...landing, _id: 'u8', submissionId: 's8', parts: [{ ...last, offset: 0 }] });
      await stored('submissions/p/nobody/video.webm', 'no record names it');
      await (await rows(stores, 'projects', 'users')).insertOne({ _id: 'user', name: 'Ann' });
      await (await rows(stores, 'webhooks', 'deliveries')).insertOne({ _id: 'event', state: 'pending' });

      const made = await backup(to);
      assert.equal(made.failed, false, made.lines.join('\n'));
      const there = emptyServers();
      const { lines, value } = await there.restore();
      assert.match(lines.at(-1)!, /^webhooks are paused: 1 wait; .*"npm run admin -- webhooks resume" sends them$/);
      assert.deepEqual((value as { webhooks: object }).webhooks, { paused: true, waiting: 1 });
      assert.partialDeepStrictEqual(await (await rows(there.stores, 'webhooks', 'sending')).findOne(), {
        isPaused: true,
      });
      for (const [database, collection] of [
        ['submissions', 'submissions'],
        ['submissions', 'uploads'],
        ['projects', 'users'],
        ['webhooks', 'deliveries'],
        ['submissions', 'schema'],
      ] as const) {
        const [from, to] = [await rows(stores, database, collection), await rows(there.stores, database, collection)];
        const all = (of: Rows) => of.find({}, EXACT).sort({ _id: 1 }).toArray();
        assert.deepEqual(await all(to), await all(from), `${database}.${collection}`);
        const named = async (of: Rows) => (await of.indexes()).map(({ name }) => name).toSorted();
        assert.deepEqual(await named(to), await named(from), `the indexes of ${database}.${collection}`);
      }
      const keys = (await Array.fromAsync(there.stores.objects().list(''))).map(({ key }) => key);
      assert.deepEqual(keys.toSorted(), [
        'submissions/p/s1/video.webm',
        'submissions/p/s2/source',
        'submissions/p/s3/source',
        'uploads/u1/0',
        'uploads/u7/0',
        'uploads/u7/6',
        'uploads/u8/0',
      ]);
      const copy = await Array.fromAsync(await there.stores.objects().get(video.key));
      assert.equal(Buffer.concat(copy as Buffer[]).toString(), 'a video');
      await assert.rejects(
        there.restore(),
        /^Error: The database \S+_projects is not empty: its collection \w+ has documents\./,
      );
    });

    test('an interrupted restore continues, and until then no service starts on it', async () => {
      const there = emptyServers();
      const { id } = await manifestOf(place);
      // Simulates a process that died in the middle of a collection.
      await (await rows(there.stores, 'submissions', 'restoring')).insertOne({ _id: id });
      await (await rows(there.stores, 'projects', 'users')).insertMany([{ _id: 'user' }, { _id: 'of nobody' }]);
      const submissions = await there.stores.database('submissions');
      const half =
        /holds part of a backup, whose restore runs or was cut: run "restore" to its end, or drop the database\./;
      await assert.rejects(requireSchema(submissions, [{ version: 1, name: 'any' }]), half);
      await assert.rejects(migrateAll(there.env, silent), half, 'a migration does not complete a partial restore');
      await there.restore();
      const users = await (await rows(there.stores, 'projects', 'users')).find().toArray();
      assert.deepEqual(users, [{ _id: 'user', name: 'Ann' }]);
      await requireSchema(submissions, [{ version: 1, name: 'any' }]);
      assert.equal(await (await rows(there.stores, 'submissions', 'restoring')).countDocuments(), 0);
    });

    test('an interrupted backup leaves the earlier one valid, and the next one removes its files', async () => {
      const before = await manifestOf(place);
      const cut = (line: string) => {
        if (/documents of .* are written/.test(line)) throw new Error('the process ends.');
      };
      await assert.rejects(backup(to, cut), /^Error: The backup was not completed: the process ends\. Run it again/);
      assert.deepEqual(await manifestOf(place), before);
      await emptyServers().restore();
      const { value } = await backup(to);
      assert.deepEqual((value as Record<string, number>).reused, 7);
      const { id } = await manifestOf(place);
      const first = (await pathsIn(place)).map(path => path.split('/')[0]);
      assert.deepEqual(new Set(first), new Set([id, 'manifest.json', 'objects']));
    });

    test('finds topics that Kafka would refuse before anything is restored', async () => {
      const there = emptyServers();
      const env = { ...there.env, KAFKA_REPLICATION: '3' };
      await assert.rejects(
        runRestore(env, { name: 'restore', from: to, sendWebhooks: false }, silent),
        /KAFKA_REPLICATION/,
      );
      await nothingIn(there);
      await there.restore();
    });

    test('restores a backup into migrated but unused databases', async () => {
      const there = emptyServers();
      await migrateAll(there.env, silent);
      const { lines } = await there.restore(true);
      assert.equal(lines.at(-1), '1 webhooks wait; webhooks sends them as soon as it starts');
      assert.partialDeepStrictEqual(await (await rows(there.stores, 'webhooks', 'sending')).findOne(), {
        isPaused: false,
      });
      assert.equal(await (await rows(there.stores, 'projects', 'users')).countDocuments(), 1);
    });

    test('a restore interrupted in its migration names the command that completes it; a repeated restore names it too', async () => {
      const there = emptyServers();
      const cut = (line: string) => {
        if (line.startsWith('webhooks: ')) throw new Error('the process ends.');
      };
      await assert.rejects(
        runRestore(there.env, { name: 'restore', from: to, sendWebhooks: false }, cut),
        /^Error: All data is restored, but .* not completed: the process ends\. Run "npm run admin -- migrate" /,
      );
      await assert.rejects(
        there.restore(),
        /is not empty: .* It holds the system of this backup: .*"npm run admin -- migrate" .* completes it\. /,
      );
      await migrateAll(there.env, silent);
      assert.equal(await (await rows(there.stores, 'projects', 'users')).countDocuments(), 1);
      await (await rows(there.stores, 'submissions', 'restoring')).insertOne({ _id: 'another backup' });
      await assert.rejects(there.restore(), /has documents\. A restore needs empty servers/);
    });

    test('a system that was recreated after a loss does not replace the backup', async () => {
      const there = testEnvironment();
      stack.use(testStores(there));
      const instead = () => runBackup(there.env, { name: 'backup', to }, silent);
      const before = await manifestOf(place);
      await assert.rejects(
        instead(),
        /^Error: The database \S+_submissions has nothing to back up, because it was never migrated/,
      );
      await migrateAll(there.env, silent);
      await makeTopics(there);
      await assert.rejects(
        instead(),
        /holds the backup of another system, of \S+, which this backup would replace: name another place\./,
      );
      assert.deepEqual(await manifestOf(place), before);
    });

    test('refuses a backup with a wrong topic prefix', async () => {
      const env = { ...environment.env, KAFKA_TOPIC_PREFIX: 'wrong.' };
      const wrong = runBackup(env, { name: 'backup', to: await freshPlace(backed) }, silent);
      await assert.rejects(wrong, /Kafka has no topic wrong\.\S+, so events could be missing: set KAFKA_BROKERS/);
    });

    test('a backup with rejected store keys names them', async () => {
      const other = await freshPlace(backed);
      const wrong = runBackup({ ...environment.env, S3_SECRET_KEY: 'wrong' }, { name: 'backup', to: other }, silent);
      await assert.rejects(wrong, /^StartError: The object store does not accept S3_ACCESS_KEY with S3_SECRET_KEY/);
      assert.equal(await placeNamed(other, environment.env).entry('manifest.json'), undefined);
    });

    test('a second backup copies new objects, and removes those that no record names any more', async () => {
      const submissions = await rows(stores, 'submissions', 'submissions');
      await submissions.updateOne({ _id: 's2' }, { $set: { erasedAt: new Date() }, $unset: { source: 1 } });
      const { value, failed } = await backup(to);
      const { objects, reused, removed } = value as Record<string, number>;
      assert.deepEqual({ objects, reused, removed, failed }, { objects: 6, reused: 6, removed: 1, failed: false });
      assert.deepEqual(await pathsIn(place, 'objects/submissions/p'), [
        'objects/submissions/p/s1/video.webm',
        'objects/submissions/p/s3/source',
      ]);
      const other = await freshPlace(backed);
      await placeNamed(other, environment.env).write('a-file', bytesOf('not of a backup'));
      await assert.rejects(backup(other), /is not empty and holds no backup: name an empty place/);
      assert.deepEqual(await pathsIn(placeNamed(other, environment.env)), ['a-file']);
      await using _other = await takeLease(createLease(await stores.database('submissions'), BACKUP_LEASE, 30_000));
      await assert.rejects(backup(to), /^Error: Another backup runs/);
    });

    test('removes the earlier copy of a clip that was erased meanwhile, and keeps other parts of uploads', async () => {
      const video = await stored('submissions/p/s4/video.webm', 'erased meanwhile');
      const part = await stored('uploads/u4/0', 'erased with it');
      const other = await stored('uploads/u6/0', 'lost');
      const all = [video, part, other].map(object => ({ ...object, optional: false }));
      const elsewhere = placeNamed(await freshPlace(backed), environment.env);
      const { db } = await stores.database('submissions');
      const from = { objects: stores.objects(), submissions: db! };
      const copied = (folder: string, named: AsyncIterable<(typeof all)[number]>) =>
        copyObjects(named, from, {
          ...{ place: elsewhere, folder, progress: createProgress(silent), total: { count: 3, bytes: 0 } },
        });
      async function* cut() {
        yield video;
        throw new Error('the process ends');
      }
      async function* named() {
        yield* all;
      }
      await claim(elsewhere);
      await assert.rejects(copied('cut', cut() as ReturnType<typeof named>), /the process ends/);
      const { count: copies, reused: before } = await copied('first', named());
      assert.deepEqual({ copies, before }, { copies: 3, before: 1 }, 'a cut backup continues');
      const submissions = await rows(stores, 'submissions', 'submissions');
      const clip = { projectId: 'p', ownerId: 'o', linkId: 'l', responseId: 'r4', questionIndex: 0, revision: 1 };
      await submissions.insertOne({ _id: 's4', ...clip, erasedAt: new Date() });
      const uploads = await rows(stores, 'submissions', 'uploads');
      await uploads.insertMany([
        { _id: 'u4', emptied: true },
        { _id: 'u6', state: 'landed' },
      ]);
      await stores.objects().remove([video.key, part.key, other.key]);
      const startedAt = await claim(elsewhere);
      const { count, reused, lost, absent, named: keys, keys: kept } = await copied('second', named());
      assert.deepEqual(
        { count, reused, lost, keys: keys.toSorted() },
        { count: 1, reused: 1, lost: 1, keys: [`erased ${video.key}`, `erased ${part.key}`, `lost ${other.key}`] },
      );
      assert.deepEqual(absent, { erased: 2, missing: 0, different: 0 });
      assert.deepEqual(await tidy(elsewhere, { id: 'second', keys: kept, startedAt }), { removed: 2, locked: 0 });
      assert.deepEqual(await pathsIn(elsewhere, 'objects/'), ['objects/uploads/u6/0']);
      await uploads.deleteMany({ _id: { $in: ['u4', 'u6'] } });
    });

    test('keeps the objects that a later backup copied while this one slept', async () => {
      const other = placeNamed(await freshPlace(backed), environment.env);
      const keys = createKeySet();
      keys.add('of-both');
      await other.write('backup-under-way', bytesOf(''));
      for (const name of ['of-before', 'of-both']) await other.write(`objects/${name}`, bytesOf(name));
      const startedAt = await claim(other);
      await other.write('objects/of-a-later-one', bytesOf('later'));
      assert.deepEqual(await tidy(other, { id: 'x', keys, startedAt }), { removed: 1, locked: 0 });
      assert.deepEqual(await pathsIn(other), ['objects/of-a-later-one', 'objects/of-both']);
    });

    test('names objects lost or damaged in the store, and parts missing in the backup before it writes', async () => {
      const there = emptyServers();
      const uploads = await rows(stores, 'submissions', 'uploads');
      const lost = { key: 'uploads/u3/0', offset: 0, size: 4 };
      await uploads.insertOne({ _id: 'u3', state: 'uploading', projectId: 'p', offset: 4, parts: [lost] });
      await stores.objects().put('submissions/p/s1/video.webm', Buffer.from('A VIDEO'), { contentType: 'video/webm' });
      await removeFrom(place, 'objects/submissions/p/s1/');
      const { lines, failed } = await backup(to);
      assert.equal(failed, true);
      assert.match(lines.join('\n'), /^1 objects that records name are not in the store$/m);
      assert.match(lines.join('\n'), /^ {2}missing uploads\/u3\/0$/m);
      assert.match(lines.join('\n'), /^ {2}different submissions\/p\/s1\/video\.webm$/m);

      const refused = async (change: () => Promise<unknown>, sentence: RegExp) => {
        await change();
        await assert.rejects(there.restore(), sentence);
        await nothingIn(there);
      };
      await stores.objects().remove(['uploads/u1/0']);
      const later = await backup(to);
      assert.equal(later.failed, true);
      assert.match(
        later.lines.join('\n'),
        /^1 objects are complete in the backup, but the store has lost or changed them since: restore them$/m,
      );
      assert.match(later.lines.join('\n'), /^ {2}lost uploads\/u1\/0$/m);
      const manifest = await manifestOf(place);
      const file = manifest.databases.submissions.find(({ name }: { name: string }) => name === 'uploads').file.path;
      const object = 'objects/uploads/u1/0';
      await refused(
        () => place.write(object, bytesOf('SOME BYTES')),
        /is damaged: objects\/uploads\/u1\/0 has another SHA-256 .*Nothing was restored\.$/,
      );
      await refused(
        () => place.write(object, bytesOf('SOME')),
        /is not complete: objects\/uploads\/u1\/0 has 4 bytes, not 10\. Nothing was restored\.$/,
      );
      await refused(
        () => removeFrom(place, object),
        /is not complete: objects\/uploads\/u1\/0 is missing\. Nothing was restored\.$/,
      );
      await refused(
        () => place.write(file, bytesOf('x')),
        /uploads\.bson\.gz has \d+ bytes, not \d+\. Nothing was restored\.$/,
      );
      await refused(
        () => removeFrom(place, 'manifest.json'),
        /holds no complete backup: it has no manifest\.json, which is written last\./,
      );
    });
  });
}
