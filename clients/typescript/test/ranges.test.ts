/** Tests answers that do not fit the request or their own headers, as caches and hostile servers send them. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  DownloadChangedError,
  IntegrityError,
  RecordingRequest,
  UnexpectedAnswerError,
} from '@recording-request/client';
import { saveTo } from '@recording-request/client/files';
import { type Handler, scriptedServer } from './scripted-server.ts';

const scratch = await mkdtemp(join(tmpdir(), 'recording-request-ranges-'));
after(() => rm(scratch, { recursive: true, force: true }));

const filesOf = async (name: string) => (await readdir(scratch)).filter(each => each.startsWith(name)).sort();
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const zipOf = ({ url }: { url: string }) =>
  new RecordingRequest({ baseUrl: url, token: 'api_x' }).exports.zip('p', undefined, { retries: 1 });

/** Answers with an archive of ten bytes, or with a part of it. */
const answer =
  (status: number, body: string, headers: Record<string, string | number> = {}): Handler =>
  (_, response) =>
    void response.writeHead(status, { etag: '"v1"', 'accept-ranges': 'bytes', ...headers }).end(body);
const whole = answer(200, 'AAAAABBBBB', { 'content-length': 10 });
/** The first half; then the connection ends. */
const half: Handler = (_, response) => {
  response.writeHead(200, { etag: '"v1"', 'accept-ranges': 'bytes', 'content-length': 10 });
  response.write('AAAAA', () => response.socket!.end());
};
const range = (range: string) => ({ 'content-range': `bytes ${range}` });

const MIXED: [string, Handler][] = [
  ['of another version', answer(206, 'XXXXX', { etag: '"v2"', ...range('5-9/10') })],
  ['without a version', answer(206, 'XXXXX', { etag: '', ...range('5-9/10') })],
  ['from another position', answer(206, 'XXXXX', range('0-4/10'))],
  ['without a position', answer(206, 'XXXXX', range('5-9/*'))],
];
for (const [what, part] of MIXED)
  test(`a part ${what} is not added to the bytes that are there`, async () => {
    const path = join(scratch, `${what}.zip`);
    await writeFile(`${path}.part`, 'AAAAA');
    await writeFile(`${path}.part.etag`, '"v1"');
    await using server = await scriptedServer(part, whole);
    await saveTo(zipOf(server), path);
    assert.equal(await readFile(path, 'utf8'), 'AAAAABBBBB');
    assert.deepEqual(await filesOf(what), [`${what}.zip`]);
    await using breaking = await scriptedServer(half, part);
    await assert.rejects(zipOf(breaking).bytes(), DownloadChangedError);
  });

test('a part of a file with another size is not added', async () => {
  await using server = await scriptedServer(half, answer(206, 'XXXXXX', range('5-10/11')));
  await assert.rejects(zipOf(server).bytes(), DownloadChangedError);
});

test('a part that nobody asked for, and a file without a body, are answers of something else', async () => {
  for (const unasked of [answer(206, 'AAAAA', range('0-4/10')), answer(204, ''), answer(304, '')]) {
    await using server = await scriptedServer(unasked);
    await assert.rejects(zipOf(server).bytes(), UnexpectedAnswerError);
    await assert.rejects(zipOf(server).info(), UnexpectedAnswerError);
    await assert.rejects(saveTo(zipOf(server), join(scratch, 'unasked.zip')), UnexpectedAnswerError);
  }
  assert.deepEqual(await filesOf('unasked'), []);
});

test('a body longer than the promised size is an error, and no byte beyond is written', async () => {
  const path = join(scratch, 'longer.zip');
  await writeFile(`${path}.part`, 'AAAAA');
  await writeFile(`${path}.part.etag`, '"v1"');
  await using server = await scriptedServer(answer(206, 'B'.repeat(1_000_000), range('5-9/10')));
  const written: number[] = [];
  const options = { onProgress: (bytes: number) => void written.push(bytes), signal: AbortSignal.timeout(10_000) };
  await assert.rejects(saveTo(zipOf(server), path, options), IntegrityError);
  assert.ok(Math.max(0, ...written) <= 10, written.join());
  assert.deepEqual(await filesOf('longer'), []);
});

test('without an ETag there is no SHA-256 in the result, unless the caller has one, which is checked', async () => {
  const bare: Handler = (_, response) => void response.writeHead(200, { etag: 'W/"weak"' }).end('abc');
  await using server = await scriptedServer(bare);
  const path = join(scratch, 'bare.webm');
  assert.equal((await saveTo(zipOf(server), path)).sha256, undefined);
  const sha256 = hashOf('abc');
  assert.equal((await saveTo(zipOf(server), path, { sha256: sha256.toUpperCase() })).sha256, sha256);
  await rm(path);
  await assert.rejects(saveTo(zipOf(server), path, { sha256: hashOf('abd') }), IntegrityError);
  assert.deepEqual(await filesOf('bare'), []);
});

test('a SHA-256 of the caller is compared with that of the service, and never ignored', async () => {
  const sha256 = hashOf('AAAAABBBBB');
  const opened = answer(200, 'AAAAABBBBB', { etag: `"${sha256}"` });
  await using server = await scriptedServer(opened, opened, answer(206, 'BBBBB', range('5-9/10')));
  await assert.rejects(zipOf(server).open({ sha256: hashOf('abc') }), IntegrityError);
  assert.equal((await saveTo(zipOf(server), join(scratch, 'fits.zip'), { sha256 })).sha256, sha256);
  const from = { offset: 5, etag: '"v1"' };
  await assert.rejects(zipOf(server).open({ from, sha256 }), /needs node:crypto and, with from, its prior/);
});
