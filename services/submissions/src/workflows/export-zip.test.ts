import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { Objects } from '@recording-request/kit/objects';
import type { Submission } from '../domain/submission.ts';
import type { ExportSource } from './export-project.ts';
import { zipOf } from './export-zip.ts';

test('an export that comes to a clip just when its upload gave way to its video takes the video', async () => {
  const DAY = new Date('2026-01-02T03:04:05.678Z');
  const upload = { key: 'source', size: 6, mimeType: 'video/mp4' };
  const read = { id: 'clip', createdAt: DAY, source: upload } as Submission;
  const now = { ...read, source: undefined, video: { key: 'video', size: 5, mimeType: 'video/webm' } } as Submission;
  const source = {
    ...{ project: { projectName: 'One' }, links: null, changedAt: DAY },
    async *submissions() {
      yield read;
    },
    find: async () => now,
    present: () => ({ submissionId: 'clip', createdAt: DAY.toISOString(), durationSec: null, questionText: null }),
  } as unknown as ExportSource;
  const get = async (key: string) => {
    if (key !== 'video') throw Object.assign(new Error('The specified key does not exist.'), { code: 'NoSuchKey' });
    return Readable.from([Buffer.from('video')]);
  };
  const chunks = await Array.fromAsync(zipOf(source, { get } as unknown as Objects, new AbortController().signal));
  const zip = Buffer.concat(chunks).toString('latin1');
  assert.match(zip, /videos\/0001-clip\.webm/);
  assert.doesNotMatch(zip, /clip\.mp4/);
});
