import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copiesOf } from '../../src/copies.ts';
import { createObjects } from '../../src/objects.ts';
import { type Each, MiB, sha256, type } from './test-bucket.ts';

export function copying(each: Each): void {
  each('the store copies an object from another bucket, whole and in parts', async ({ objects, raw, settings }) => {
    const to = { ...settings, s3Bucket: `${settings.s3Bucket}-copies` };
    const target = createObjects(to);
    await target.ensureBucket();
    const bytes = randomBytes(11 * MiB);
    await objects.put('copied/it', bytes, { ...type, metadata: { colour: 'red' } });
    const source = { bucket: settings.s3Bucket, key: 'copied/it', ...(await objects.stat('copied/it'))! };
    const inParts = copiesOf({ client: raw, bucket: to.s3Bucket, requestMs: 10_000 }, 5 * MiB);
    await target.copyFrom(source, 'whole', { ...type, metadata: { colour: 'blue' }, withSha256: true });
    await inParts.copyFrom(source, 'parts', { ...type, metadata: { colour: 'blue' } });
    for (const key of ['whole', 'parts']) {
      const { size, metadata, sha256: computed = sha256(bytes) } = (await target.describe(key))!;
      assert.deepEqual(
        { size, metadata, computed },
        { size: bytes.length, metadata: { colour: 'blue' }, computed: sha256(bytes) },
      );
      const copy = await Array.fromAsync(await target.get(key));
      assert.equal(sha256(Buffer.concat(copy as Buffer[])), sha256(bytes));
    }
    assert.deepEqual((await objects.describe('copied/it'))?.metadata, { colour: 'red' });
    const other = { ...source, etag: '0123456789abcdef0123456789abcdef' };
    await assert.rejects(target.copyFrom(other, 'other', type), { code: 'PreconditionFailed' });
    assert.equal(await target.describe('other'), undefined);
    await target.purge('');
    await raw.removeBucket(to.s3Bucket);
  });
}
