import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { tusMetadata, tusRequest } from '@recording-request/harness/tus';
import { create, speech, startTestSubmissions, type TestSubmissions } from './test-service.ts';

let harness: TestSubmissions;
before(async () => {
  harness = await startTestSubmissions({ UPLOAD_PART_BYTES: '16384' });
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
});

async function begun(settings: Parameters<TestSubmissions['project']>[0] = {}) {
  const { projectId, links } = await harness.project(settings);
  return { projectId, linkId: links[0]!.linkId, ...(await harness.begin(projectId, links[0]!.linkId)) };
}

const key = (projectId: string) => ({ ownerId: harness.ownerId, projectId });
const word = (response: Response) => response.headers.get('error-code');
const offsetAt = async (url: string, { headers }: { headers: Record<string, string> }) =>
  (await tusRequest(url, 'HEAD', headers)).headers.get('upload-offset');
const error = async (response: Response) => ((await response.json()) as { error: string }).error;

test('a request with an unsupported Expect header is refused with a sentence', async () => {
  const sent = request(harness.uploadsUrl, { method: 'POST', headers: { expect: 'a-miracle' }, agent: false }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  assert.deepEqual(await json(answer), { error: 'Send no header Expect but 100-continue.' });
  assert.equal(answer.statusCode, 417);
  assert.equal(answer.headers['error-code'], 'expectation_failed');
});

test('OPTIONS returns the protocol’s versions and extensions, and an open upload returns its expiry', async () => {
  const options = await fetch(harness.uploadsUrl, { method: 'OPTIONS' });
  assert.equal(options.status, 204);
  const header = (name: string) => options.headers.get(name);
  assert.deepEqual([header('tus-version'), header('tus-max-size')], ['1.0.0', String(harness.config.uploadMaxBytes)]);
  assert.deepEqual(header('tus-extension')?.split(',').sort(), [
    'creation',
    'creation-defer-length',
    'creation-with-upload',
    'expiration',
    'termination',
  ]);
  const holdMs = harness.config.uploadHoldSeconds * 1_000;
  const response = await begun();
  const { response: created, url } = await create(harness, response);
  const patched = await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, Buffer.alloc(10));
  for (const answer of [created, patched]) {
    const keptMs = Date.parse(answer.headers.get('upload-expires') ?? '') - Date.now();
    assert.ok(
      keptMs > holdMs - 60_000 && keptMs <= holdMs + 1_000,
      `${answer.status}: it is kept for ${keptMs} ms more`,
    );
  }
});

test('another protocol version is refused, the answer names the supported one, and nothing changes', async () => {
  const response = await begun();
  const { url } = await create(harness, response, { length: 1000 });
  for (const version of ['0.2.2', '2.0.0', '']) {
    const headers = { ...response.headers, 'Tus-Resumable': version, 'Upload-Offset': '0' };
    const refused = await tusRequest(url, 'PATCH', headers, Buffer.alloc(10));
    assert.deepEqual([refused.status, refused.headers.get('tus-version')], [412, '1.0.0']);
    assert.equal(word(refused), 'tus_version_unsupported');
    assert.match(await error(refused), /Tus-Resumable: 1\.0\.0/);
  }
  assert.equal(await offsetAt(url, response), '0');
});

test('a wrong offset is refused and changes nothing', async () => {
  const response = await begun();
  const { url } = await create(harness, response, { length: 1000 });
  const wrong = await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '7' }, Buffer.alloc(10));
  assert.deepEqual([wrong.status, word(wrong)], [409, 'offset_mismatch']);
  assert.match(await error(wrong), /ask with HEAD/);
  assert.equal(await offsetAt(url, response), '0');
});

test('too large lengths and bodies, and an unknown question, get their statuses', async () => {
  const response = await begun();
  const { response: large } = await create(harness, response, { length: harness.config.uploadMaxBytes + 1 });
  assert.equal(large.status, 413);
  assert.match(await error(large), new RegExp(`at most ${harness.config.uploadMaxBytes}:`));
  // Larger than any number that JavaScript represents exactly.
  const huge = { ...response.headers, 'Upload-Length': '99999999999999999999' };
  const tooLarge = await tusRequest(harness.uploadsUrl, 'POST', huge);
  assert.equal(tooLarge.status, 413);
  assert.match(await error(tooLarge), new RegExp(`at most ${harness.config.uploadMaxBytes}:`));
  const { url } = await create(harness, response, { length: 10 });
  const over = await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, Buffer.alloc(11));
  assert.equal(over.status, 413);
  const { response: unknown } = await create(harness, response, { length: 10, fields: { questionIndex: '5' } });
  assert.equal(unknown.status, 400);
  assert.match(await error(unknown), /questionIndex/);
});

test('a second, different length is refused with the declared one', async () => {
  const response = await begun();
  const { url } = await create(harness, response, { length: 1000 });
  const refused = await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0', 'Upload-Length': '999' });
  assert.equal(refused.status, 400);
  assert.match(await error(refused), /declared already, as 1000/);
});

test('the error names a header that is missing, too small or not supported', async () => {
  const response = await begun();
  const { url } = await create(harness, response);
  await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, Buffer.alloc(500));
  const small = await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '500', 'Upload-Length': '499' });
  assert.deepEqual(
    [small.status, await error(small)],
    [400, 'Upload-Length must be at least 500: so many bytes are here already.'],
  );
  const unplaced = await tusRequest(url, 'PATCH', response.headers, Buffer.alloc(10));
  assert.equal(unplaced.status, 400);
  assert.match(await error(unplaced), /Send the header Upload-Offset/);
  const untyped = { ...response.headers, 'Upload-Offset': '500', 'Content-Type': 'video/webm' };
  const wrongType = await tusRequest(url, 'PATCH', untyped, Buffer.alloc(10));
  assert.deepEqual(
    [wrongType.status, await error(wrongType)],
    [400, 'Send the header Content-Type: application/offset+octet-stream.'],
  );
  const headers = { ...response.headers, 'Upload-Concat': 'partial', 'Upload-Length': '10' };
  const partial = await tusRequest(harness.uploadsUrl, 'POST', headers);
  assert.equal(partial.status, 400);
  assert.match(await error(partial), /one upload/);
  const twice = { ...response.headers, 'Upload-Length': '10', 'Upload-Defer-Length': '1' };
  const nonsense = { ...response.headers, 'Upload-Length': 'ten' };
  for (const [headers, sentence] of [
    [twice, /^Send either Upload-Length, .* and not both\.$/],
    [nonsense, /^Upload-Length must be a whole number from 0/],
  ] as const) {
    const refused = await tusRequest(harness.uploadsUrl, 'POST', headers);
    assert.equal(refused.status, 400);
    assert.match(await error(refused), sentence);
  }
  assert.equal(await offsetAt(url, response), '500');
});

test('headers of other clients are accepted: blanks between pairs, a type with a parameter, any file type', async () => {
  const response = await begun();
  const { bytes } = await speech();
  const metadata = tusMetadata({ filename: 'clip.bin', responseSessionId: response.responseSessionId })
    .concat(', ', tusMetadata({ filetype: 'application/octet-stream' }))
    .concat(' ,\t', tusMetadata({ relativePath: 'null' }));
  const type = { 'Content-Type': 'Application/Offset+Octet-Stream; charset=utf-8' };
  const length = { 'Upload-Length': String(bytes.length) };
  const headers = { ...response.headers, ...type, ...length, 'Upload-Metadata': metadata };
  const created = await tusRequest(harness.uploadsUrl, 'POST', headers, bytes.subarray(0, 1_000));
  assert.deepEqual([created.status, created.headers.get('upload-offset')], [201, '1000'], await created.text());
  const url = new URL(created.headers.get('location')!, harness.uploadsUrl).href;
  const rest = { ...response.headers, ...type, 'Upload-Offset': '1000' };
  const sent = await tusRequest(url, 'PATCH', rest, bytes.subarray(1_000));
  assert.equal(sent.status, 200, await sent.clone().text());
  const { submissionId } = (await sent.json()) as { submissionId: string };
  const { submission } = await harness.submissions.getSubmission({ ...key(response.projectId), submissionId });
  assert.equal(submission!.mimeType, 'video/webm');
});
