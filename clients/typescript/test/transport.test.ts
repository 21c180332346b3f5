import assert from 'node:assert/strict';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  RecordingRequest,
  RecordingRequestError,
  ServerError,
  TimeoutError,
  UnexpectedAnswerError,
} from '@recording-request/client';
import { testCertificates } from '@recording-request/testing/test-certificates';
import { cut, failure, json, scriptedServer } from './scripted-server.ts';

const TOKEN = 'api_secret';
const clientOf = (baseUrl: string, options: object = {}) => new RecordingRequest({ baseUrl, token: TOKEN, ...options });
const ME = { userId: 'u', userName: 'Ada', field: 'of a later version' };
const project = { projectName: 'P', count: 1 };
const thrown = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail('it did not fail'),
    error => error,
  );

describe('a call of the client', { concurrency: true }, () => {
  test('is repeated twice after lost connections and outages; each POST keeps its key', async () => {
    await using server = await scriptedServer(cut, failure(503, 'unavailable'), json({ projectId: 'p' }));
    const retried: unknown[] = [];
    const options = { onRetry: (error: Error) => void retried.push(error.name) };
    assert.deepEqual(await clientOf(server.url).projects.create(project, options), { projectId: 'p' });
    const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
    assert.match(String(keys[0]), /^[0-9a-f-]{36}$/);
    assert.deepEqual(keys, [keys[0], keys[0], keys[0]]);
    assert.deepEqual(retried, ['ConnectionError', 'ServerError']);
    await clientOf(server.url).projects.create(project);
    assert.notEqual(server.seen.at(-1)!.headers['idempotency-key'], keys[0], 'another call has another key');
    await clientOf(server.url).projects.create(project, { idempotencyKey: 'mine' });
    assert.equal(server.seen.at(-1)!.headers['idempotency-key'], 'mine');
  });

  test('reports each failure that is followed by another attempt, without the tokens', async () => {
    await using server = await scriptedServer(cut, failure(503, 'unavailable'), json({}));
    const retried: [error: Error, delayMs: number, failures: number][] = [];
    const client = clientOf(server.url, {
      onRetry: (...report: (typeof retried)[number]) => void retried.push(report),
    });
    await client.dashboard('prj_x').overview();
    assert.deepEqual(
      retried.map(([, , failures]) => failures),
      [1, 2],
    );
    for (const [error, delayMs] of retried) {
      assert.ok(delayMs >= 250, `${delayMs} ms`);
      assert.doesNotMatch(String(error), /prj_x|api_secret/);
    }
    assert.match(String(retried[0]![0]), /GET .*\/project\/…\/overview failed/);
    const ofCall: number[] = [];
    await using other = await scriptedServer(cut, json({}));
    await clientOf(other.url, { onRetry: () => assert.fail() }).me({
      onRetry: (_, __, failures) => void ofCall.push(failures),
    });
    assert.deepEqual(ofCall, [1], 'a call may have its own');
  });

  test('fails after the last attempt', async () => {
    await using server = await scriptedServer(failure(500, 'internal_error'));
    const error = await thrown(clientOf(server.url).me());
    assert.ok(error instanceof ServerError && error.is('internal_error'));
    assert.equal(server.seen.length, 3);
    await thrown(clientOf(server.url, { retries: 0 }).me());
    assert.equal(server.seen.length, 4);
  });

  test('waits for Retry-After, and throws at once if it is longer than the client waits', async () => {
    await using server = await scriptedServer(failure(429, 'rate_limited', { 'retry-after': '1' }), json(ME));
    assert.deepEqual(await clientOf(server.url).me(), ME);
    assert.ok(server.seen[1]!.atMs - server.seen[0]!.atMs >= 990);
    await using busy = await scriptedServer(failure(429, 'reminded_recently', { 'retry-after': '3000' }));
    const error = await thrown(clientOf(busy.url).links.remind('p', 'l'));
    assert.ok(error instanceof RateLimitError && error.is('reminded_recently'));
    assert.equal(error.retryAfterSeconds, 3000);
    assert.equal(busy.seen.length, 1);
  });

  test('waits until the window of RateLimit ends if no request is left', async () => {
    await using server = await scriptedServer(json(ME, 200, { ratelimit: '"token";r=0;t=3' }), json(ME));
    const client = clientOf(server.url);
    await client.me();
    const waiting = client.me();
    await client.openApi();
    await waiting;
    const urls = server.seen.map(({ url }) => url);
    assert.deepEqual(urls, ['/api/me', '/api/openapi.json', '/api/me'], 'another rate does not wait');
    assert.ok(server.seen[2]!.atMs - server.seen[0]!.atMs >= 2_990);
  });

  test('is not repeated after an error that stays, and has its code and request', async () => {
    await using server = await scriptedServer(
      failure(404, 'not_found'),
      failure(409, 'transcript_not_failed'),
      failure(401, 'token_invalid'),
      failure(418, 'a_new_word'),
    );
    const client = clientOf(server.url);
    const missing = await thrown(client.projects.get('p'));
    assert.ok(missing instanceof NotFoundError && missing instanceof ApiError);
    assert.deepEqual([missing.status, missing.code, missing.requestId], [404, 'not_found', 'r1']);
    assert.equal(missing.message, 'It is not_found.');
    assert.ok((await thrown(client.submissions.requestTranscript('p', 's'))) instanceof ConflictError);
    assert.ok((await thrown(client.me())) instanceof AuthenticationError);
    const unknown = await thrown(client.me());
    assert.ok(unknown instanceof ApiError && unknown.code === 'a_new_word');
    assert.equal(server.seen.length, 4);
  });

  test('repeats a temporary conflict', async () => {
    await using server = await scriptedServer(failure(409, 'idempotency_key_in_use'), json({ projectId: 'p' }));
    await clientOf(server.url).projects.create(project);
    assert.equal(server.seen.length, 2);
  });

  test('names a proxy, a redirect and a wrong address, and follows nothing', async () => {
    await using server = await scriptedServer(
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>'),
      (_, response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
      (_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<html>Not here</html>'),
      (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"cut'),
    );
    for (const status of [200, 302, 404, 200]) {
      const error = await thrown(clientOf(server.url).me());
      assert.ok(error instanceof UnexpectedAnswerError, String(error));
      assert.equal(error.status, status);
      assert.match(error.message, /GET http:\/\/127\.0\.0\.1:\d+\/api\/me answered .* Check baseUrl/);
    }
    assert.equal(server.seen.length, 4);
    const gone = await thrown(clientOf('http://127.0.0.1:1', { retries: 0 }).me());
    assert.ok(gone instanceof ConnectionError && /ECONNREFUSED|fetch failed|bad port/.test(gone.message), String(gone));
    for (const baseUrl of ['record.example', 'ftp://record.example', 'https://a:b@record.example', ''])
      assert.throws(() => clientOf(baseUrl), RecordingRequestError);
  });

  test('reports a certificate that is not trusted, without another attempt', async () => {
    const { env } = await testCertificates();
    const files = env('gateway');
    const { readFileSync } = await import('node:fs');
    const [key, cert] = [files.TLS_KEY_FILE!, files.TLS_CERT_FILE!].map(file => readFileSync(file));
    const server = createTlsServer({ key, cert });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const retried: unknown[] = [];
    const client = clientOf(`https://localhost:${(server.address() as AddressInfo).port}`);
    const error = await thrown(client.me({ onRetry: failed => void retried.push(failed) }));
    server.close();
    assert.ok(error instanceof ConnectionError && error.isPermanent, String(error));
    assert.match(error.message, /certificate/);
    assert.deepEqual(retried, []);
  });

  test('ends by its signal: before, while it waits for an answer, and between attempts', async () => {
    const reason = new Error('enough');
    await using server = await scriptedServer(() => {}, failure(503, 'unavailable', { 'retry-after': '30' }));
    assert.equal(await thrown(clientOf(server.url).me({ signal: AbortSignal.abort(reason) })), reason);
    for (const count of [1, 2]) {
      const controller = new AbortController();
      const waiting = thrown(clientOf(server.url).me({ signal: controller.signal }));
      while (server.seen.length < count) await new Promise(setImmediate);
      controller.abort(reason);
      assert.equal(await waiting, reason);
    }
  });

  test('ends after its time limit, also in a body that stops', async () => {
    await using silent = await scriptedServer(() => {});
    const unanswered = await thrown(clientOf(silent.url, { timeoutMs: 100, retries: 0 }).me());
    assert.ok(unanswered instanceof TimeoutError && /got no answer/.test(unanswered.message), String(unanswered));
    await using stopping = await scriptedServer(
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"a":'),
    );
    // Long enough for the headers on a busy machine.
    const stopped = await thrown(clientOf(stopping.url, { timeoutMs: 2_000, retries: 0 }).me());
    assert.ok(stopped instanceof TimeoutError && /sent no bytes/.test(stopped.message), String(stopped));
  });

  test('never shows or sends a token where it does not belong', async () => {
    await using server = await scriptedServer(json({ userId: 'u' }));
    const client = clientOf(server.url);
    await client.dashboard('prj_x').overview();
    await client.recorder('vr_x').response('r');
    assert.deepEqual(
      server.seen.map(({ headers }) => headers.authorization),
      [undefined, undefined],
    );
    assert.throws(() => client.download('https://elsewhere.example/api/x'), RecordingRequestError);
    assert.throws(() => client.download(`${server.url}.elsewhere.example/api/x`), RecordingRequestError);
    assert.throws(
      () => clientOf(server.url, { token: 'api_a\nb' }),
      error => !String(error).includes('api_a'),
    );
    const lost = await thrown(clientOf('http://127.0.0.1:1', { retries: 0 }).dashboard('prj_x').overview());
    assert.ok(!String(lost).includes('prj_x') && String(lost).includes('/project/…/overview'));
    await assert.rejects(new RecordingRequest({ baseUrl: server.url }).me(), /Set the option token/);
  });
});

test('a wrong address or token is named before the first request', () => {
  const refused = (options: { baseUrl: string; token?: string }, sentence: RegExp) =>
    assert.throws(() => new RecordingRequest(options), sentence);
  refused({ baseUrl: 'https://record.example/api/' }, /must not end with \/api/);
  refused({ baseUrl: 'https://record.example/mcp' }, /must not end with \/mcp/);
  refused({ baseUrl: 'record.example' }, /absolute address/);
  refused({ baseUrl: 'https://record.example', token: '' }, /token is empty/);
});

test('a recorder speaks to the address of its link, with the reference in it', async () => {
  const bodies: string[] = [];
  await using server = await scriptedServer(json({ responseSessionId: 'r' }, 201));
  const client = new RecordingRequest({
    baseUrl: 'https://elsewhere.example',
    fetch: (url, init) => {
      bodies.push(String(init?.body));
      return fetch(url, init);
    },
  });
  await client.recorder(`${server.url}/path/r/vr_x?ref=P%2D17`).begin({ termsAccepted: true });
  assert.equal(server.seen[0]!.url, '/path/r/vr_x/responses');
  const { responseSessionId, ...rest } = JSON.parse(bodies[0]!);
  assert.match(responseSessionId, /^[0-9a-f-]{36}$/);
  assert.deepEqual(rest, { reference: 'P-17', termsAccepted: true });
  for (const link of ['https://a.example/r/prj_x', 'r/vr_x', '', 'https://a.example/?x=/r/vr_x'])
    assert.throws(() => client.recorder(link), RecordingRequestError, link);
});

test('a list reads its pages one after another', async () => {
  const page = (ids: string[], nextCursor: string | null) =>
    json({ submissions: ids.map(submissionId => ({ submissionId })), pagination: { nextCursor } });
  await using server = await scriptedServer(
    page(['a', 'b'], 'c1'),
    page([], 'c2'),
    page(['c'], null),
    page(['a'], 'x'),
  );
  const { submissions } = clientOf(server.url);
  const found: string[] = [];
  for await (const { submissionId } of submissions.list('p', { q: 'a&b', selected: true })) found.push(submissionId);
  assert.deepEqual(found, ['a', 'b', 'c']);
  assert.deepEqual(
    server.seen.map(({ url }) => url.split('?')[1]),
    [undefined, 'c1', 'c2'].map(cursor => `limit=100&q=a%26b&selected=true${cursor ? `&cursor=${cursor}` : ''}`),
  );
  const few = await submissions.list('p').all(1);
  assert.deepEqual([few.length, server.seen.length], [1, 4], 'no page is read that is not needed');
  const first = await submissions.list('p', { cursor: 'c9' }).first();
  assert.equal(first.nextCursor, 'x');
  assert.match(server.seen.at(-1)!.url, /cursor=c9/);
});
