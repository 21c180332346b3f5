/** Tests waits that are longer than a timer of the platform, which fires at once after 2^31 ms. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecordingRequest, ServerError, UploadError } from '@recording-request/client';
import { later } from '../src/waits.ts';
import { failure, json, scriptedServer } from './scripted-server.ts';

const clientOf = (baseUrl: string, options: object = {}) =>
  new RecordingRequest({ baseUrl, token: 'api_x', ...options });
const ME = { userId: 'u' };

test('a wait longer than one timer is split, and is cancelled in each part', ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  let runs = 0;
  later(2 ** 32, () => runs++);
  const cancel = later(2 ** 32, () => assert.fail());
  later(Number.POSITIVE_INFINITY, () => assert.fail());
  mock.timers.tick(2 ** 31 - 1);
  mock.timers.tick(2 ** 31 - 1);
  cancel();
  assert.equal(runs, 0);
  mock.timers.tick(2);
  assert.equal(runs, 1);
  mock.timers.tick(2 ** 31 - 1);
  assert.equal(runs, 1);
});

for (const timeoutMs of [Number.POSITIVE_INFINITY, 3e9])
  test(`a call with the time limit ${timeoutMs} waits for its answer`, async () => {
    await using server = await scriptedServer(json(ME));
    assert.deepEqual(await clientOf(server.url, { timeoutMs, retries: 0 }).me(), ME);
    const landed = { responseSessionId: 'r', answers: [{ submissionId: 's', uploads: [{ uploadId: 'u1' }] }] };
    await using uploads = await scriptedServer(
      (_, answer) => answer.writeHead(201, { 'tus-resumable': '1.0.0', location: '/r/vr_x/uploads/u1' }).end(),
      (_, answer) => answer.writeHead(204, { 'tus-resumable': '1.0.0', 'upload-offset': 3 }).end(),
      json(landed),
    );
    const recorder = clientOf(uploads.url, { timeoutMs }).recorder('vr_x');
    const { submissionId } = await recorder.upload(Buffer.from('abc'), { responseSessionId: 'r', retries: 0 });
    assert.equal(submissionId, 's');
  });

test('a Retry-After of weeks is waited for if the client allows it', async () => {
  await using server = await scriptedServer(failure(503, 'unavailable', { 'retry-after': '3000000' }));
  await using other = await scriptedServer(json(ME));
  const controller = new AbortController();
  const delays: number[] = [];
  const waiting = clientOf(server.url, { maxRetryDelayMs: Number.POSITIVE_INFINITY }).me({
    ...{ signal: controller.signal, onRetry: (_: Error, delayMs: number) => void delays.push(delayMs) },
  });
  const ended = assert.rejects(waiting, /enough/);
  while (delays.length === 0) await new Promise(setImmediate);
  for (let i = 0; i < 20; i++) await clientOf(other.url).me();
  controller.abort(new Error('enough'));
  await ended;
  assert.deepEqual([delays, server.seen.length], [[3_000_000_000], 1]);
});

for (const told of ['61', '315360000', 'Fri, 31 Dec 2099 23:59:59 GMT'])
  test(`Retry-After: ${told} ends every loop at once`, async () => {
    await using server = await scriptedServer(failure(503, 'unavailable', { 'retry-after': told }));
    const client = clientOf(server.url);
    const signal = AbortSignal.timeout(10_000);
    await assert.rejects(client.events({ signal }).next(), ServerError);
    await assert.rejects(client.me({ signal, retries: Number.POSITIVE_INFINITY }), ServerError);
    await assert.rejects(client.submissions.list('p', {}, { signal }).all(1), ServerError);
    await assert.rejects(client.submissions.video('p', 's').bytes({ signal }), ServerError);
    const uploading = client.recorder('vr_x').upload(Buffer.from('abc'), { responseSessionId: 'r', signal });
    await assert.rejects(uploading, UploadError);
    assert.equal(server.seen.length, 5);
  });
