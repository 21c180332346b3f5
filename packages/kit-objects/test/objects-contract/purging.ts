import assert from 'node:assert/strict';
import type { Client } from 'minio';
import { createObjects } from '../../src/objects.ts';
import { purging as purgingOf } from '../../src/purge.ts';
import { type Each, type TestBucket, type } from './test-bucket.ts';

export function purging(each: Each): void {
  /** Purges a prefix that has an overwritten object, a removed one and an unfinished upload. */
  async function purgeAll({ objects, raw, settings, keys, openUploads }: TestBucket, name: string, versions: number) {
    const prefix = `${name}/it/`;
    for (const key of ['a', 'a', 'b']) await objects.put(prefix + key, Buffer.from('12345'), type);
    await objects.put(`${name}/it-is-another`, Buffer.from('1'), type);
    await objects.remove([`${prefix}b`]);
    await raw.initiateNewMultipartUpload(settings.s3Bucket, `${prefix}cut`, {});
    const held = { objects: versions > 1 ? 2 : 1, versions, bytes: versions * 5 };
    assert.deepEqual(await objects.holdings(prefix), held);
    assert.deepEqual(await objects.purge(prefix, ['cut']), held, 'the purge returns the counts from before');
    assert.deepEqual(await objects.holdings(prefix), { objects: 0, versions: 0, bytes: 0 });
    assert.deepEqual(await openUploads(), []);
    assert.deepEqual(await keys(`${name}/`), [`${name}/it-is-another`]);
    assert.deepEqual(
      await objects.purge(prefix),
      { objects: 0, versions: 0, bytes: 0 },
      'a second purge changes nothing',
    );
  }

  each('a purge removes the objects and open uploads under its prefix, and no others', async bucket => {
    await purgeAll(bucket, 'purge', 1);
  });

  each('objects stored during a purge are purged too; if that never ends, the purge fails', async bucket => {
    const { raw, settings, objects } = bucket;
    let late = 2;
    // Stores another object after each removal, like a job that does not yet know about the erasure of its submission.
    const client: Client = Object.create(raw, {
      removeObjects: {
        async value(...named: Parameters<Client['removeObjects']>) {
          const answer = await raw.removeObjects(...named);
          if (late-- > 0) await objects.put(`late/${late}`, Buffer.from('12345'), type);
          return answer;
        },
      },
    });
    const { purge } = purgingOf({ client, bucket: settings.s3Bucket, requestMs: 10_000 });
    await objects.put('late/first', Buffer.from('12345'), type);
    assert.deepEqual(await purge('late/'), { objects: 3, versions: 3, bytes: 15 });
    late = Number.POSITIVE_INFINITY;
    await objects.put('late/first', Buffer.from('12345'), type);
    await assert.rejects(purge('late/'), /try again in a moment/);
    await objects.purge('late/');
  });

  each('one object that the store must keep does not keep others', async ({ raw, settings }) => {
    const locked = { ...settings, s3Bucket: `${settings.s3Bucket}-locked` };
    const { s3Bucket: bucketName, s3Region: region } = locked;
    try {
      await raw.makeBucket(bucketName, region, { ObjectLocking: true });
    } catch {
      // A store without legal holds cannot refuse a removal.
      return;
    }
    const objects = createObjects(locked);
    // One object more than a request removes, so that the held object is not in the last request.
    const all = Array.from({ length: 1_001 }, (_, i) => `held/${String(i).padStart(4, '0')}`);
    const [held = ''] = all;
    for (let at = 0; at < all.length; at += 100)
      await Promise.all(all.slice(at, at + 100).map(key => objects.put(key, Buffer.from('12345'), type)));
    await raw.setObjectLegalHold(bucketName, held, { status: 'ON' });
    await assert.rejects(objects.purge('held/'), /keeps 1 of what was to be removed/);
    assert.deepEqual(await Array.fromAsync(objects.list('')), [{ key: held, size: 5 }]);
    await raw.setObjectLegalHold(bucketName, held, { status: 'OFF' });
    assert.deepEqual(await objects.purge('held/'), { objects: 1, versions: 1, bytes: 5 });
    await raw.removeBucket(bucketName);
  });

  each('a bucket with versions keeps no version of a purged object', async bucket => {
    const { raw, settings } = bucket;
    const on = { ...settings, s3Bucket: `${settings.s3Bucket}-versions` };
    const objects = createObjects(on);
    await objects.ensureBucket();
    try {
      await raw.setBucketVersioning(on.s3Bucket, { Status: 'Enabled' });
    } catch {
      // For a store that keeps no versions, this test passes without a check.
      await raw.removeBucket(on.s3Bucket);
      return;
    }
    const keys = async (prefix: string) => (await Array.fromAsync(objects.list(prefix))).map(({ key }) => key);
    await purgeAll({ ...bucket, objects, settings: on, keys, openUploads: async () => [] }, 'purge', 3);
    await objects.purge('');
    await raw.removeBucket(on.s3Bucket);
  });
}
