import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createObjects, isMissing, type Objects } from '../../src/objects.ts';
import { type Each, MiB, streamOf, type } from './test-bucket.ts';

export function refusals(each: Each): void {
  const everything: Array<(objects: Objects) => Promise<unknown>> = [
    objects => objects.put('a', Buffer.from('a'), type),
    objects => objects.put('a', streamOf(randomBytes(9 * MiB)), type),
    objects => objects.get('a'),
    objects => objects.stat('a'),
    objects => objects.remove(['a']),
    objects => Array.fromAsync(objects.list('')),
  ];

  each('a missing bucket is an error, never a missing object', async ({ settings }) => {
    const objects = createObjects({ ...settings, s3Bucket: `${settings.s3Bucket}-gone` });
    for (const call of everything) await assert.rejects(call(objects), error => !isMissing(error));
  });

  each('wrong credentials cause an error that does not show them', async ({ settings }) => {
    const wrong = 'not-the-secret-of-this-store';
    const other = { ...settings, s3SecretKey: () => wrong };
    for (const each of [other, { ...other, s3AccessKey: () => 'nobody-we-know-of' }]) {
      const objects = createObjects(each);
      for (const call of [...everything, (each: Objects) => each.ensureBucket()])
        await assert.rejects(call(objects), (error: Error) => {
          const text = `${error.stack} ${JSON.stringify(error)}`;
          return !isMissing(error) && !text.includes(wrong) && !text.includes(settings.s3SecretKey());
        });
    }
  });
}
