import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer, json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { tusRequest } from '@recording-request/harness/tus';
import { uuidv7 } from '@recording-request/kit/ids';
import { UploadState } from '@recording-request/proto/submissions/v1/submissions';
import type { Operation } from '@recording-request/testing/operation';
import { until } from '@recording-request/testing/wait';
import { nameOf, watchOperations } from '@recording-request/testing/watch-operations';
import { create, send, speech, startTestSubmissions, type TestSubmissions } from './test-service.ts';

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
const patchHeaders = ({ headers }: { headers: Record<string, string> }) => ({
  ...headers,
  'tus-resumable': '1.0.0',
  'upload-offset': '0',
  'content-type': 'application/offset+octet-stream',
});
const error = async (response: Response) => ((await response.json()) as { error: string }).error;

test('a take sent in chunks lands once, with the sent bytes, and its parts are removed', async () => {
  const response = await begun({ noteEnabled: false });
  const { linkId, projectId, responseSessionId } = response;
  const note = { linkId, projectId, responseSessionId, questionIndex: undefined, note: 'from the garden' };
  await harness.submissions.setResponseNote(note);
  const body = (await speech()).bytes;
  const answer = await send(harness, response, body);
  assert.equal(answer.complete, true);
  const { submission } = await harness.submissions.getSubmission({
    ...key(response.projectId),
    submissionId: answer.submissionId,
  });
  assert.equal(submission!.sha256, createHash('sha256').update(body).digest('hex'));
  const upload = await harness.uploads.findOne({ submissionId: answer.submissionId });
  assert.equal(upload?.crc32, crc32(body), 'the landing stores the checksum for archives');
  assert.equal(submission!.note, undefined, 'a note is accepted while notes are off, but not delivered');
  await until('no part is left', async () => (await Array.fromAsync(harness.objects.list('uploads/'))).length === 0);
  const cleared = async () => (await harness.uploads.findOne({ _id: upload!._id }))?.partsDueAt === undefined;
  await until('no parts are due for removal', cleared);
  const { uniqueLinks } = await harness.projects.listLinks(key(response.projectId));
  const link = uniqueLinks.find(entry => entry.linkId === response.linkId)!;
  assert.deepEqual([link.submissionCount, link.remainingUses], [1, 0]);
});

test('a landing writes twice to its upload: its lease with the checksums, and its end', async () => {
  const response = await begun();
  const body = (await speech()).bytes;
  await using watch = await watchOperations(harness.env, 'submissions');
  const { submissionId } = await send(harness, response, body);
  const upload = await harness.uploads.findOne({ submissionId });
  // Counts only commands about this upload, because the sweeper may still work on the uploads of earlier tests.
  const isOfLanding = ({ command }: Operation) => {
    const text = JSON.stringify(command);
    return text.includes(String(upload!._id)) && /worker|finishing|"landed"/.test(text);
  };
  const named = (await watch.fresh())
    .filter(operation => operation.ns.endsWith('.upload_parts') || isOfLanding(operation))
    .map(nameOf)
    .filter(name => /^upload(s|_parts) (findAndModify|update|remove)$/.test(name));
  assert.deepEqual(named, ['uploads findAndModify', 'uploads update']);
});

test('bytes that were stored before a connection broke are kept, and the upload resumes after them', async () => {
  const response = await begun();
  const body = (await speech()).bytes;
  const { url, id } = await create(harness, response);
  const cut = beginPatch(url, response.headers, body.subarray(0, 40_000), body.length);
  await until('parts are stored while the request still runs', async () => {
    const upload = await harness.uploads.findOne({ _id: id });
    return Number(upload?.offset) >= 32_768;
  });
  await cut();
  const offset = Number(await offsetAt(url, response));
  assert.ok(offset >= 32_768 && offset <= 40_000, `the server knows ${offset} bytes`);
  const declared = await tusRequest(url, 'PATCH', {
    ...response.headers,
    'Upload-Offset': String(offset),
    'Upload-Length': String(body.length),
  });
  assert.equal(declared.status, 204);
  // A client whose last request was cut sends the same length again.
  const rest = await tusRequest(
    url,
    'PATCH',
    { ...response.headers, 'Upload-Offset': String(offset), 'Upload-Length': String(body.length) },
    body.subarray(offset),
  );
  assert.equal(rest.status, 200);
  const { submissionId } = (await rest.json()) as { submissionId: string };
  const { submission } = await harness.submissions.getSubmission({ ...key(response.projectId), submissionId });
  assert.equal(submission!.sha256, createHash('sha256').update(body).digest('hex'));
});

/**
 * Starts a PATCH that promises `length` bytes and sends only `part`. Returns a function that cuts the connection of the
 * PATCH.
 */
function beginPatch(url: string, headers: Record<string, string>, part: Buffer, length: number): () => Promise<void> {
  const outgoing = request(url, {
    method: 'PATCH',
    headers: { ...patchHeaders({ headers }), 'content-length': length },
  });
  outgoing.on('error', () => {});
  outgoing.write(part);
  return async () => {
    const closed = new Promise(resolve => outgoing.once('close', resolve));
    outgoing.destroy();
    await closed;
  };
}

test('two concurrent writers at the same offset: only the bytes of one are kept', async () => {
  const response = await begun();
  const { url, id } = await create(harness, response, { length: 300_000 });
  const bodies = [Buffer.alloc(100_000, 'a'), Buffer.alloc(100_000, 'b')];
  const headers = { ...response.headers, 'Upload-Offset': '0' };
  const answers = await Promise.all(bodies.map(body => tusRequest(url, 'PATCH', headers, body)));
  const taken = answers.filter(({ status }) => status === 204);
  assert.equal(taken.length, 1, `statuses were ${answers.map(({ status }) => status)}`);
  // A writer that has run for more than a second ends early when another one waits. Its answer has the stored offset.
  const offset = Number(await offsetAt(url, response));
  assert.equal(Number(taken[0]!.headers.get('upload-offset')), offset);
  assert.ok(offset > 0 && offset <= 100_000, `${offset} of 100,000 bytes are there`);
  const { parts } = (await harness.uploads.findOne({ _id: id })) as unknown as { parts: { key: string }[] };
  const stored = await Promise.all(parts.map(async ({ key }) => buffer(await harness.objects.get(key))));
  const isOf = (body: Buffer) => Buffer.concat(stored).equals(body.subarray(0, offset));
  assert.ok(bodies.some(isOf), 'all bytes are from the same writer');
});

test('a request takes an upload over from a silent one, whose bytes are kept', async () => {
  const response = await begun();
  const { url, id } = await create(harness, response, { length: 60_000 });
  const silent = request(url, { method: 'PATCH', headers: { ...patchHeaders(response), 'content-length': 60_000 } });
  silent.write(Buffer.alloc(40_000, 'a'));
  await until('a part is stored', async () => Number((await harness.uploads.findOne({ _id: id }))?.offset) > 0);
  const [answered, next] = await Promise.all([
    once(silent, 'response') as Promise<[IncomingMessage]>,
    tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '40000' }, Buffer.alloc(20_000, 'b')),
  ]);
  assert.deepEqual([answered[0].statusCode, answered[0].headers['upload-offset']], [204, '40000']);
  silent.destroy();
  assert.notEqual(next.status, 409, 'all earlier bytes are stored');
});

test('a streamed body that exceeds the length gets 413, and its connection stays open for the answer', async () => {
  const response = await begun();
  const { url } = await create(harness, response, { length: 20_000 });
  const sent = request(url, { method: 'PATCH', headers: patchHeaders(response) });
  sent.write(Buffer.alloc(10_000));
  sent.end(Buffer.alloc(10_001));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  assert.equal(answer.statusCode, 413);
  assert.match(((await json(answer)) as { error: string }).error, /./);
  assert.ok(Number(await offsetAt(url, response)) <= 20_000);
});

test('bytes sent with the creation are kept, and the answer has the upload’s Location, even for the whole body', async () => {
  const response = await begun();
  const body = (await speech()).bytes;
  const headers = { ...response.headers, 'X-Upload-Id': uuidv7() };
  const { response: created, url, id } = await create(harness, { ...response, headers }, { length: body.length, body });
  assert.equal(created.status, 200);
  assert.equal(
    id,
    headers['X-Upload-Id'],
    'the gateway chooses the id, so that it knows the Location without this answer',
  );
  assert.ok(((await created.json()) as { submissionId: string }).submissionId);
  assert.equal(await offsetAt(url, response), String(body.length));
});

test('a body that is not a video is refused with a reason, and the response may retry', async () => {
  const response = await begun();
  const page = Buffer.from('<!doctype html><title>no video</title>'.repeat(50));
  const { url } = await create(harness, response, { length: page.length });
  const refused = await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, page);
  assert.deepEqual([refused.status, word(refused)], [422, 'not_video']);
  assert.match(await error(refused), /video/i);
  const again = await tusRequest(url, 'HEAD', response.headers);
  assert.deepEqual([again.status, word(again)], [422, 'not_video']);
  for await (const { key: left } of harness.objects.list(`submissions/${response.projectId}/`))
    assert.fail(`${left} of a refused take is left behind`);
  const { submissionId } = await send(harness, response, (await speech()).bytes);
  assert.ok(submissionId);
});

test('a take that is longer than its link allows is refused with both durations', async () => {
  const response = await begun({ maxDurationSec: 1 });
  const body = (await speech(5)).bytes;
  const { url } = await create(harness, response, { length: body.length });
  const refused = await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  assert.deepEqual([refused.status, word(refused)], [422, 'too_long']);
  assert.match(await error(refused), /at most 1 seconds/);
});

test('a sent answer cannot be sent again', async () => {
  const response = await begun();
  const body = (await speech()).bytes;
  const { url } = await create(harness, response, { length: body.length });
  await send(harness, response, body);
  const late = await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  assert.deepEqual([late.status, word(late)], [410, 'answer_sent']);
  const { response: another } = await create(harness, response, { length: 10 });
  assert.deepEqual([another.status, word(another)], [410, 'answer_sent']);
});

test('only its own link can access an upload', async () => {
  const response = await begun();
  const stranger = await begun();
  const { url } = await create(harness, response, { length: 10 });
  assert.equal((await tusRequest(url, 'HEAD', stranger.headers)).status, 404);
  assert.equal((await tusRequest(url, 'DELETE', stranger.headers)).status, 404);
  const { response: other } = await create(harness, {
    responseSessionId: response.responseSessionId,
    headers: stranger.headers,
  });
  assert.equal(other.status, 404);
});

test('a client’s DELETE removes its upload and the bytes', async () => {
  const response = await begun();
  const { url, id } = await create(harness, response, { length: 100_000 });
  await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, Buffer.alloc(50_000));
  assert.equal((await tusRequest(url, 'DELETE', response.headers)).status, 204);
  assert.equal((await tusRequest(url, 'HEAD', response.headers)).status, 404);
  for await (const { key: left } of harness.objects.list(`uploads/${id}/`)) assert.fail(`${left} is left behind`);
});

test('a sent take cannot be deleted, not even while it lands', async () => {
  const response = await begun();
  const body = (await speech()).bytes;
  const { url, id } = await create(harness, response, { length: body.length });
  const [sent] = await Promise.all([
    tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body),
    until('the take is landing', async () => {
      const upload = await harness.uploads.findOne({ _id: id });
      return upload?.state !== 'uploading';
    }).then(async () => assert.equal((await tusRequest(url, 'DELETE', response.headers)).status, 410)),
  ]);
  assert.equal(sent.status, 200);
});

test('a note that is set before the upload is delivered with the clip, and cannot change after the clip was sent', async () => {
  const response = await begun();
  const { linkId, projectId, responseSessionId } = response;
  const key = { linkId, projectId, responseSessionId, questionIndex: undefined };
  await harness.submissions.setResponseNote({ ...key, note: 'from the garden' });
  const { submissionId } = await send(harness, response, (await speech()).bytes);
  const { submission } = await harness.submissions.getSubmission({
    ownerId: harness.ownerId,
    projectId: response.projectId,
    submissionId,
  });
  assert.equal(submission!.note, 'from the garden');
  await assert.rejects(harness.submissions.setResponseNote({ ...key, note: 'late' }), /before its clip has been sent/);
});

test('an upload with very many parts keeps few of them in its own document, and lands completely', async () => {
  const response = await begun();
  const body = (await speech()).bytes;
  const { url, id } = await create(harness, response, { length: body.length });
  // The parts of many successive PATCH requests.
  const count = 510;
  const parts = Array.from({ length: count }, (_, at) => ({ key: `uploads/${id}/${at}`, offset: at * 10, size: 10 }));
  for (let at = 0; at < count; at += 50) {
    const some = parts.slice(at, at + 50);
    const put = ({ key, offset }: { key: string; offset: number }) =>
      harness.objects.put(key, body.subarray(offset, offset + 10), { contentType: 'application/octet-stream' });
    await Promise.all(some.map(put));
  }
  await harness.uploads.updateOne({ _id: id }, { $set: { parts, offset: count * 10 } });
  for (const at of [count * 10, count * 10 + 100]) {
    const more = body.subarray(at, at + 100);
    const sent = await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': String(at) }, more);
    assert.equal(sent.status, 204);
  }
  const row = (await harness.uploads.findOne({ _id: id })) as unknown as { parts: unknown[] };
  assert.ok(row.parts.length < 10, `a PATCH finds ${row.parts.length} parts in the document that it changes`);
  const offset = count * 10 + 200;
  const rest = body.subarray(offset);
  const last = await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': String(offset) }, rest);
  assert.equal(last.status, 200, await last.clone().text());
  const { submissionId } = (await last.json()) as { submissionId: string };
  const { submission } = await harness.submissions.getSubmission({ ...key(response.projectId), submissionId });
  assert.equal(submission!.sha256, createHash('sha256').update(body).digest('hex'));
  assert.equal(await harness.connection.db!.collection('upload_parts').countDocuments({ uploadId: id }), 0);
});

test('many concurrent creations succeed up to the response’s limit of open uploads, despite earlier refusals', async () => {
  const response = await begun();
  const { id } = await create(harness, response);
  const { _id, slot, ...refused } = (await harness.uploads.findOne({ _id: id }))!;
  const earlier = Array.from({ length: 200 }, (_, at) => ({ ...refused, _id: `0-${id}-${at}`, state: 'refused' }));
  await harness.uploads.insertMany(earlier);
  const answers = await Promise.all(Array.from({ length: 29 }, () => create(harness, response)));
  const statuses = answers.map(({ response: { status } }) => status);
  assert.equal(statuses.filter(status => status === 201).length, 19, `statuses were ${statuses}`);
  const { uploads } = await harness.submissions.listUploads({
    linkId: response.linkId,
    projectId: response.projectId,
    responseSessionId: response.responseSessionId,
  });
  assert.equal(
    uploads.filter(each => each.state === UploadState.UPLOAD_STATE_UPLOADING).length,
    20,
    'all open uploads are listed',
  );
});
