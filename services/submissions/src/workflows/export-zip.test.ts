import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { Objects } from '@recording-request/kit/objects';
import type { Submission } from '../domain/submission.ts';
import type { Unreadable } from '../store/export-rows.ts';
import type { ExportSource } from './export-project.ts';
import { zipOf } from './export-zip.ts';

const DAY = new Date('2026-01-02T03:04:05.678Z');
const VIDEO = { key: 'video', size: 5, mimeType: 'video/webm' };
const clip = { id: 'clip', createdAt: DAY, video: VIDEO } as Submission;
const missing = () => Object.assign(new Error('The specified key does not exist.'), { code: 'NoSuchKey' });

/** An export of one clip, and what is noted of it. */
function exportOf(parts: Partial<ExportSource> = {}, read = clip) {
  const noted: Unreadable[] = [];
  const source = {
    ...{ project: { projectName: 'One' }, links: null, changedAt: DAY, missing: [] },
    async *submissions() {
      yield read;
    },
    findVideo: async () => read,
    noteUnreadable: async (_id: string, where: Unreadable) => void noted.push(where),
    confirm: async () => {},
    present: () => ({ submissionId: 'clip', createdAt: DAY.toISOString(), durationSec: null, questionText: null }),
    ...parts,
  } as unknown as ExportSource;
  return { source, noted };
}

const store = (get: Objects['get'], stat: Objects['stat'] = async () => undefined) => ({ get, stat });
const zipped = async (source: ExportSource, objects: ReturnType<typeof store>): Promise<string> =>
  Buffer.concat(await Array.fromAsync(zipOf(source, objects, new AbortController().signal))).toString('latin1');

test('an export that comes to a clip just when its upload gave way to its video takes the video', async () => {
  const read = { ...clip, source: { ...VIDEO, key: 'source', mimeType: 'video/mp4' }, video: undefined };
  const { source } = exportOf({ findVideo: async () => clip }, read as Submission);
  const zip = await zipped(
    source,
    store(async key => {
      if (key !== 'video') throw missing();
      return Readable.from([Buffer.from('video')]);
    }),
  );
  assert.match(zip, /videos\/0001-clip\.webm/);
  assert.doesNotMatch(zip, /clip\.mp4/);
});

test('a store that breaks off in the middle of a video is asked for the rest', async () => {
  const from: number[] = [];
  const zip = await zipped(
    exportOf().source,
    store(async (_key, { offset = 0 } = {}) => {
      from.push(offset);
      const rest = Buffer.from('video').subarray(offset);
      return Readable.from(
        (async function* () {
          yield rest.subarray(0, 2);
          if (from.length < 3) throw new Error('reset');
          yield rest.subarray(2);
        })(),
      );
    }),
  );
  assert.deepEqual(from, [0, 2, 4]);
  assert.match(zip, /video/);
});

test('a video that the store does not return breaks the export off, and is noted with its place for the next one', async () => {
  for (const [get, offset] of [
    [async () => Promise.reject(missing()), 0],
    [
      async (_key: string, { offset = 0 } = {}) =>
        offset > 0 ? Promise.reject(missing()) : Readable.from([Buffer.from('vid')]),
      3,
    ],
  ] as [Objects['get'], number][]) {
    const { source, noted } = exportOf();
    await assert.rejects(zipped(source, store(get)), /A video cannot be read; ask for the export again/);
    assert.deepEqual(noted, [{ key: 'video', offset }]);
  }
});

test('a store that returns nothing at all says nothing about a video', async () => {
  const away = () => Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
  const { source, noted } = exportOf();
  await assert.rejects(zipped(source, store(away, away)), { code: 'ECONNREFUSED' });
  assert.deepEqual(noted, []);
});

test('a clip that is erased at any time before the end breaks the export off', async () => {
  const good = store(async () => Readable.from([Buffer.from('video')]));
  const erased = () => Promise.reject(new Error('erased'));
  await assert.rejects(zipped(exportOf({ confirm: erased }).source, good), /erased/);
  const gone = store(() => Promise.reject(missing()));
  await assert.rejects(zipped(exportOf({ findVideo: async () => undefined }).source, gone), /was erased while/);
});
