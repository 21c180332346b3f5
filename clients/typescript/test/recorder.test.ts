import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { type OnRetry, RecordingRequest, UploadError } from '@recording-request/client';
import { cut, failure, type Handler, json, scriptedServer } from './scripted-server.ts';

const BYTES = Buffer.from('the bytes of a recording');
const UPLOAD = '/r/vr_x/uploads/u1';
const response = {
  responseSessionId: 'r',
  complete: true,
  answers: [{ submissionId: 's', uploads: [{ uploadId: 'u1', state: 'landed' }] }],
};

const tus =
  (status: number, headers: Record<string, string | number>): Handler =>
  (_, answer) =>
    void answer.writeHead(status, { 'tus-resumable': '1.0.0', ...headers }).end();
const created = tus(201, { location: UPLOAD });
const noneYet = tus(200, { 'upload-offset': 0, 'upload-length': BYTES.length });
const received = tus(204, { 'upload-offset': BYTES.length });
const recorderOf = (url: string, options: object = {}) =>
  new RecordingRequest({ baseUrl: url, ...options }).recorder('vr_x');
const methodsOf = ({ seen }: { seen: { method: string }[] }) => seen.map(({ method }) => method);

test('an upload waits for Retry-After, and continues after 429, an outage and a lost connection', async () => {
  await using server = await scriptedServer(
    ...[created, failure(429, 'rate_limited', { 'retry-after': '2' }), noneYet],
    ...[failure(503, 'unavailable', { 'retry-after': '1' }), noneYet, cut, noneYet, received, json(response)],
  );
  const retried: unknown[] = [];
  const onRetry: OnRetry = (error, delayMs, failures) => void retried.push([error.name, delayMs >= 900, failures]);
  const landed = await recorderOf(server.url, { onRetry }).upload(BYTES, { responseSessionId: 'r' });
  assert.equal(landed.submissionId, 's');
  assert.deepEqual(methodsOf(server), ['POST', 'PATCH', 'HEAD', 'PATCH', 'HEAD', 'PATCH', 'HEAD', 'PATCH', 'GET']);
  const gapBefore = (index: number) => server.seen[index]!.atMs - server.seen[index - 1]!.atMs;
  assert.ok(gapBefore(2) >= 1_990, `after 429: ${gapBefore(2)} ms`);
  assert.ok(gapBefore(4) >= 990, `after 503: ${gapBefore(4)} ms`);
  assert.deepEqual(retried, [
    ['UploadError', true, 1],
    ['UploadError', true, 2],
    ['UploadError', true, 3],
  ]);
});

test('an upload continues at its address after a HEAD that failed for a moment; after 404 it begins again', async () => {
  const head = (status: number) => tus(status, {});
  await using server = await scriptedServer(...[created, cut, head(503), head(429), noneYet, received, json(response)]);
  const options = { responseSessionId: 'r' };
  assert.equal((await recorderOf(server.url).upload(BYTES, options)).submissionId, 's');
  assert.deepEqual(methodsOf(server), ['POST', 'PATCH', 'HEAD', 'HEAD', 'HEAD', 'PATCH', 'GET']);
  await using forgetful = await scriptedServer(head(404), created, received, json(response));
  await recorderOf(forgetful.url).upload(BYTES, { ...options, address: '/r/vr_x/uploads/u0' });
  assert.deepEqual(methodsOf(forgetful), ['HEAD', 'POST', 'PATCH', 'GET']);
});

test('an upload whose connection is silent continues after its time limit, and fails after the last attempt', async () => {
  await using server = await scriptedServer(created, () => {}, noneYet, received, json(response));
  const options = { responseSessionId: 'r', timeoutMs: 500 };
  assert.equal((await recorderOf(server.url).upload(BYTES, options)).submissionId, 's');
  assert.deepEqual(methodsOf(server), ['POST', 'PATCH', 'HEAD', 'PATCH', 'GET']);
  await using silent = await scriptedServer(created, () => {});
  await assert.rejects(
    recorderOf(silent.url).upload(BYTES, { ...options, retries: 1 }),
    (error: UploadError) => error instanceof UploadError && /sent no bytes .* for 0\.5 s/.test(error.message),
  );
  assert.deepEqual(methodsOf(silent), ['POST', 'PATCH', 'HEAD']);
});

test('a stream needs its size, and is sent with it', async () => {
  await using server = await scriptedServer(created, received, json(response));
  const recorder = recorderOf(server.url);
  await assert.rejects(recorder.upload(Readable.from([BYTES]), { responseSessionId: 'r' }), {
    name: 'UploadError',
    message: 'Set the option size, in bytes: only files, Blobs and Buffers know their size.',
  });
  assert.equal(server.seen.length, 0);
  const source = Readable.from([BYTES], { objectMode: false });
  assert.equal((await recorder.upload(source, { responseSessionId: 'r', size: BYTES.length })).submissionId, 's');
});

test('an upload sends no byte before its address is stored', async () => {
  await using server = await scriptedServer(created, received, json(response));
  await using storage = await scriptedServer(json({}));
  let sentBefore: string[] = [];
  const onAddress = async () => {
    for (let i = 0; i < 5; i++) await (await fetch(storage.url)).text();
    sentBefore = methodsOf(server);
  };
  await recorderOf(server.url).upload(BYTES, { responseSessionId: 'r', onAddress });
  assert.deepEqual([sentBefore, methodsOf(server)], [['POST'], ['POST', 'PATCH', 'GET']]);
  await using other = await scriptedServer(created);
  const full = recorderOf(other.url).upload(BYTES, {
    ...{ responseSessionId: 'r', onAddress: () => Promise.reject(new Error('the disk is full')) },
  });
  await assert.rejects(full, /the disk is full/);
  assert.deepEqual(methodsOf(other), ['POST']);
});

test('an upload fails at once for good: after 410, and after a Retry-After longer than the client waits', async () => {
  for (const refused of [failure(410, 'link_used'), failure(429, 'rate_limited', { 'retry-after': '61' })]) {
    await using server = await scriptedServer(refused);
    await assert.rejects(
      recorderOf(server.url).upload(BYTES, { responseSessionId: 'r' }),
      (error: UploadError) => error instanceof UploadError && ['link_used', 'rate_limited'].includes(error.code!),
    );
    assert.equal(server.seen.length, 1);
  }
});

test('an upload that waits for its next attempt ends by its signal', async () => {
  await using server = await scriptedServer(created, failure(503, 'unavailable', { 'retry-after': '30' }));
  const controller = new AbortController();
  const uploading = recorderOf(server.url).upload(BYTES, {
    ...{ responseSessionId: 'r', signal: controller.signal },
    onRetry: () => controller.abort(new Error('enough')),
  });
  await assert.rejects(uploading, /enough/);
  assert.equal(server.seen.length, 2);
});

test('an error of an upload has no token of the link', async () => {
  const uploading = recorderOf('http://127.0.0.1:1').upload(BYTES, { responseSessionId: 'r', retries: 0 });
  await assert.rejects(uploading, (error: Error) => error instanceof UploadError && !String(error).includes('vr_x'));
});
