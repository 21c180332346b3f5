import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { DomainError, type ErrorCode } from '@recording-request/kit/errors';
import { errorOf } from './error-of.ts';
import { asProject, PROJECT_ID, startTestGateway, type TestGateway } from './test-service.ts';

let harness: TestGateway;
before(async () => {
  harness = await startTestGateway();
});
after(() => harness[Symbol.asyncDispose]());

const projects = () => `${harness.base}/api/projects`;
const post = (body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(projects(), {
    method: 'POST',
    body,
    headers: { ...harness.bearer, 'content-type': 'application/json', ...headers },
  });

test('an unknown route is 404 for every request', async () => {
  for (const [path, init] of [
    ['/api/nothing', {}],
    ['/nothing', { method: 'POST', body: 'x', headers: { 'content-type': 'text/weird' } }],
    ['/api/me/', { headers: harness.bearer }],
  ] as [string, RequestInit][]) {
    const response = await fetch(harness.base + path, init);
    assert.equal(response.status, 404, path);
    await errorOf(response);
  }
});

test('a method that a path does not have is 405 with Allow, before any token is checked', async () => {
  for (const [method, path, allow] of [
    ['DELETE', '/api/me', 'GET, HEAD, PATCH'],
    ['PUT', '/api/projects', 'GET, HEAD, POST'],
    ['POST', `/api/projects/${PROJECT_ID}`, 'GET, HEAD, PATCH'],
    ['PATCH', `/api/projects/${PROJECT_ID}/export.csv`, 'GET, HEAD'],
    ['OPTIONS', '/api/projects', 'GET, HEAD, POST'],
    ['PROPFIND', '/api/me', 'GET, HEAD, PATCH'],
    ['GET', '/r/x/uploads/y', 'DELETE, HEAD, OPTIONS, PATCH'],
    ['POST', '/r/x/uploads/y', 'DELETE, HEAD, OPTIONS, PATCH'],
    ['PATCH', '/r/x/uploads', 'OPTIONS, POST'],
  ]) {
    const response = await fetch(harness.base + path, { method });
    assert.equal(response.status, 405, `${method} ${path}`);
    assert.equal(response.headers.get('allow'), allow);
    await errorOf(response);
  }
});

test('a body that is not JSON is 415, too large 413, malformed 400', async () => {
  const cases: [BodyInit, Record<string, string>, number][] = [
    ['{}', { 'content-type': 'text/plain' }, 415],
    ['{}', { 'content-encoding': 'gzip' }, 415],
    [`{"projectName":"${'x'.repeat(1_100_000)}"}`, {}, 413],
    ['{', {}, 400],
    ['', {}, 400],
    [Buffer.from([0x22, 0xff, 0x22]), {}, 400],
    [Buffer.from('\ufeff{}', 'utf16le'), { 'content-type': 'application/json; charset=utf-16' }, 415],
    ['{}', { 'content-type': 'application/json;charset="ISO-8859-1"' }, 415],
    ['{', { 'content-type': 'application/json; charset=UTF-8' }, 400],
  ];
  for (const [body, headers, status] of cases) {
    const response = await post(body, headers);
    assert.equal(response.status, status);
    const sentence = await errorOf(response);
    if (status === 413) assert.equal(sentence, 'The body is too large: send at most 1,048,576 bytes.');
  }
});

test('a body without a content type is 415', async () => {
  const response = await fetch(projects(), { method: 'POST', body: new Blob(['{}']), headers: harness.bearer });
  assert.equal(response.status, 415);
});

const CODES: [ErrorCode, number][] = [
  ['invalid', 400],
  ['forbidden', 403],
  ['not_found', 404],
  ['conflict', 409],
  ['gone', 410],
  ['unprocessable', 422],
  ['unavailable', 503],
  ['timeout', 503],
];
for (const [code, status] of CODES) {
  test(`a service's ${code} is ${status} with its sentence`, async () => {
    harness.behind.projects = {
      listProjects: async () => {
        throw new DomainError(code, 'What to change.');
      },
    };
    const response = await fetch(projects(), { headers: harness.bearer });
    assert.equal(response.status, status);
    assert.equal(await errorOf(response), 'What to change.');
    assert.equal(response.headers.has('retry-after'), status === 503);
  });
}

test('a Retry-After of a service is passed on', async () => {
  harness.behind.projects = {
    listProjects: async () => {
      throw new DomainError('conflict', 'What to change.', { retryAfterSec: 5 });
    },
  };
  const response = await fetch(projects(), { headers: harness.bearer });
  assert.deepEqual([response.status, response.headers.get('retry-after')], [409, '5']);
});

test('an internal error shows no internal details', async () => {
  harness.behind.projects = {
    listProjects: async () => {
      throw new Error('secret detail at /inner/path');
    },
  };
  const response = await fetch(projects(), { headers: harness.bearer });
  assert.equal(response.status, 500);
  assert.doesNotMatch(await errorOf(response), /secret|inner/);
});

/**
 * Returns everything that a connection receives. Sends the first text at once, and each later text when an answer has
 * arrived.
 */
async function raw(text: string, ...later: string[]): Promise<string> {
  const socket = connect(Number(new URL(harness.base).port), '127.0.0.1');
  const next = (one: string) => (later.length > 0 ? socket.write(one) : socket.end(one));
  socket.on('data', () => later.length > 0 && next(later.shift()!));
  next(text);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}

test('bytes that are not HTTP, and a malformed path, get an error of the same shape', async () => {
  const nonsense = await raw('NONSENSE\r\n\r\n');
  assert.match(nonsense, /^HTTP\/1\.1 400 [\s\S]*\r\n\r\n\{"error":"[^"]+"\}$/);
  assert.match(nonsense, /\r\nError-Code: request_malformed\r\nRequest-Id: [0-9a-f]{32}\r\n/);
  assert.match(
    await raw(`GET /api/me HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`),
    /^HTTP\/1\.1 431 [\s\S]*Error-Code: headers_too_large\r\n[\s\S]*\{"error":"[^"]+"\}$/,
  );
  const lost = await raw('GET /healthz HTTP/1.1\r\n\r\n');
  assert.match(lost, /^HTTP\/1\.1 400 [\s\S]*\{"error":"Send the header Host\."\}$/);
  const expects = 'POST /api/projects HTTP/1.1\r\nHost: h\r\nExpect: a-miracle\r\nContent-Length: 2\r\n\r\n{}';
  assert.match(
    await raw(expects),
    /^HTTP\/1\.1 417 [\s\S]*error-code: expectation_failed\r\n[\s\S]*\{"error":"[^"]+"\}/,
  );
  const tunnel = await raw('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n');
  assert.match(tunnel, /^HTTP\/1\.1 405 [\s\S]*Error-Code: method_not_allowed\r\nRequest-Id: [0-9a-f]{32}\r\n/);
  const second = await raw('GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n', 'NONSENSE\r\n\r\n');
  assert.match(second, /^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 400 [\s\S]*\{"error":"[^"]+"\}$/, 'after a good one too');
  const bad = await raw('GET /api/%zz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
  assert.match(bad, /^HTTP\/1\.1 4\d\d /);
  assert.match(bad, /\{"error":"[^"]+"\}/);
});

test('two Idempotency-Keys are refused: joined, they would be a key that the client did not send', async () => {
  const body = JSON.stringify({ projectName: 'x', count: 1 });
  const head = `POST /api/projects HTTP/1.1\r\nHost: h\r\nAuthorization: ${harness.bearer.authorization}\r\nContent-Type: application/json\r\nConnection: close\r\n`;
  const keys = 'Idempotency-Key: a\r\nIdempotency-Key: b\r\n';
  const answer = await raw(`${head}${keys}Content-Length: ${body.length}\r\n\r\n${body}`, '');
  assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*\{"error":"Send one Idempotency-Key\."\}/);
});

test('every answer carries the security headers', async () => {
  for (const path of ['/healthz', '/api/me', '/nothing', '/api/openapi.json']) {
    const { headers } = await fetch(harness.base + path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
    assert.equal(headers.get('referrer-policy'), 'no-referrer', path);
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/, path);
    assert.match(headers.get('strict-transport-security') ?? '', /max-age/, path);
  }
});

test('a body that arrives a byte at a time is cut off with 408', async () => {
  await using short = await startTestGateway({}, { BODY_TIMEOUT_MS: '300' });
  const socket = connect(Number(new URL(short.base).port), '127.0.0.1');
  socket.on('error', () => {});
  let answer = '';
  socket.on('data', chunk => {
    answer += chunk;
  });
  socket.write(
    `POST /api/projects HTTP/1.1\r\nHost: h\r\nAuthorization: ${short.bearer.authorization}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
  );
  const drip = setInterval(() => socket.write(' '), 50);
  // A byte that arrives at the closed connection causes an error, and `once` would reject with it.
  await new Promise(resolve => socket.once('close', resolve));
  clearInterval(drip);
  assert.match(answer, /^HTTP\/1\.1 408 /);
  assert.match(answer, /error-code: request_timeout/i);
  assert.match(answer, /connection: close/i);
  assert.match(answer, /\{"error":"The body took too long to arrive\."\}/);
});

test('a service that is down is 503 within the deadline', async () => {
  await using down = await startTestGateway({}, { WEBHOOKS_GRPC: '127.0.0.1:9' });
  down.behind.projects = { getProject: async () => ({ projectName: 'Stories', project: asProject() }) };
  const began = performance.now();
  const response = await fetch(`${down.base}/api/projects/${PROJECT_ID}/webhook-deliveries`, { headers: down.bearer });
  assert.equal(response.status, 503);
  assert.equal(response.headers.get('retry-after'), '2');
  assert.doesNotMatch(await errorOf(response), /127\.0\.0\.1|grpc|ECONN/i);
  assert.ok(performance.now() - began < 30_000);
});
