import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { isErrorReason } from '@recording-request/contract/error-codes';
import { UpdateResponseBody } from '@recording-request/contract/requests';
import { DomainError, type ErrorCode } from '@recording-request/kit/errors';
import { asProject, PROJECT_ID, startTestGateway, type TestGateway } from './test-service.ts';

let harness: TestGateway;
before(async () => {
  harness = await startTestGateway();
});
after(() => harness[Symbol.asyncDispose]());

async function errorOf(response: Response): Promise<string> {
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  const body = (await response.json()) as Record<string, unknown>;
  assert.deepEqual(Object.keys(body), ['error']);
  assert.ok(isErrorReason(response.headers.get('error-code') ?? ''), `${response.url}: a listed Error-Code`);
  assert.match(response.headers.get('request-id') ?? '', /^[0-9a-f]{32}$/);
  return body.error as string;
}

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
    ['DELETE', '/api/me', 'GET, HEAD'],
    ['PUT', '/api/projects', 'GET, HEAD, POST'],
    ['POST', `/api/projects/${PROJECT_ID}`, 'GET, HEAD, PATCH'],
    ['PATCH', `/api/projects/${PROJECT_ID}/export.csv`, 'GET, HEAD'],
    ['OPTIONS', '/api/projects', 'GET, HEAD, POST'],
    ['PROPFIND', '/api/me', 'GET, HEAD'],
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

test('a review note and a contributor’s note with a control character are 400 and named', async () => {
  const clip = `${projects()}/${PROJECT_ID}/submissions/${randomUUID()}`;
  const headers = { ...harness.bearer, 'content-type': 'application/json' };
  const body = JSON.stringify({ reviewNote: 'a\u0000b' });
  const response = await fetch(clip, { method: 'PATCH', headers, body });
  assert.equal(response.status, 400);
  assert.match(await errorOf(response), /^reviewNote must have at most 5000 characters, and no control characters/);
  const { properties } = UpdateResponseBody;
  const { pattern } = properties.note as unknown as { pattern: string };
  assert.deepEqual(
    ['a\u0000b', '\u001b', 'a\r\n\tb'].map(note => new RegExp(pattern, 'u').test(note)),
    [false, false, true],
  );
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

const BODIES: [body: unknown, field: RegExp][] = [
  [[], /JSON object/],
  ['x', /JSON object/],
  [{ count: 1 }, /^projectName is required/],
  [{ projectName: 'x' }, /^count is required/],
  [{ projectName: '   ', count: 1 }, /^projectName must have 1 to 200/],
  [{ projectName: ` ${'x'.repeat(201)} `, count: 1 }, /^projectName must have 1 to 200/],
  [{ projectName: 'x', count: '5' }, /^count must be a whole number/],
  [{ projectName: 'x', count: 0 }, /^count must be at least 1/],
  [{ projectName: 'x', count: 10_001 }, /^count must be at most 10000/],
  [{ projectName: 'x', count: 1.5 }, /^count must be a whole number/],
  [{ projectName: 'x', count: 1, nope: 1 }, /"nope" is not a field/],
  [{ projectName: 'x', count: 1, maxDurationSec: 601 }, /^maxDurationSec must be at most 600/],
  [{ projectName: 'x', count: 1, expiresInDays: 0 }, /^expiresInDays/],
  [{ projectName: 'x', count: 1, neverExpire: 'true' }, /^neverExpire must be true or false, not "true"\.$/],
  [{ projectName: 'x', count: 1, neverExpire: null }, /^neverExpire must be true or false/],
  [
    { projectName: 'x', count: 1, webhookUrl: 'http://h.example' },
    /^webhookUrl must be an absolute https: URL \(http: only where the operator allows it\)/,
  ],
  [{ projectName: 'x', count: 1, requestUrl: 'ftp://h.example' }, /^requestUrl must be an absolute https/],
  [{ projectName: 'x', count: 1, requestUrl: 'https://' }, /^requestUrl must be an absolute https/],
  [{ projectName: 'x', count: 1, requestUrl: `https://h/${'x'.repeat(2_048)}` }, /^requestUrl/],
  ...['https://h.example/a b', 'https://h.example\r\n/', 'https://h\t.example/', ' https://h.example/'].flatMap(
    (url): [object, RegExp][] => [
      [{ projectName: 'x', count: 1, webhookUrl: url }, /^webhookUrl .* without white space, user name or password/],
      [{ projectName: 'x', count: 1, requestUrl: url }, /^requestUrl .* without white space, or ""/],
    ],
  ),
  ...['https://user:pw@h.example/', 'https://user@h.example', 'https://@h.example/'].map((url): [object, RegExp] => [
    { projectName: 'x', count: 1, webhookUrl: url },
    /^webhookUrl .* without white space, user name or password/,
  ]),
  [{ projectName: 'x', count: 1, webhookSecret: 'x'.repeat(513) }, /^webhookSecret must have at most 512/],
  [
    { projectName: 'x', count: 1, webhookSecret: 'whsec_not base64!' },
    /^webhookSecret .* after whsec_ base64 with its/,
  ],
  [
    { projectName: 'x', count: 1, webhookEvents: ['submission.erased', 'response.done'] },
    /^webhookEvents\[1\] must be one of submission.media.completed, .*, webhook.failing, .*, not "response.done"/,
  ],
  [
    { projectName: 'x', count: 1, webhookEvents: ['submission.completed'] },
    /, not "submission.completed" \(submission.completed, .* and submission.transcript.failed always come: leave them out\)\.$/,
  ],
  [
    { projectName: 'x', count: 1, webhookEvents: ['submission.erased', 'submission.erased'] },
    /^webhookEvents must not name one twice/,
  ],
  [
    { projectName: 'x', count: 1, transcriptionLanguage: 'klingon' },
    /^transcriptionLanguage must be the two-letter ISO 639-1 code, .* such as en, de or es, or "" for none/,
  ],
  [{ projectName: 'x', count: 1, interviewQuestions: ['a', ''] }, /^interviewQuestions\[1\] must have at least 1/],
  [{ projectName: 'x', count: 1, interviewQuestions: Array(51).fill('q') }, /^interviewQuestions must have at most 50/],
  [{ projectName: 'x', count: 1, termsText: 'x'.repeat(20_001) }, /^termsText/],
  [{ projectName: 'a\u0000b', count: 1 }, /^projectName must have 1 to 200 characters, and no control characters/],
  [{ projectName: '\u0000', count: 1 }, /^projectName .* no control characters/],
  ...['termsLabel', 'termsText', 'successMessage', 'webhookSecret'].flatMap(field =>
    ['a\u0000b', '\u001b[31m', '\u007f'].map((text): [object, RegExp] => [
      { projectName: 'x', count: 1, [field]: text },
      new RegExp(`^${field} must have .* no control characters but white space`),
    ]),
  ),
  [
    { projectName: 'x', count: 1, interviewQuestions: ['a', 'b\u0000'] },
    /^interviewQuestions\[1\] must have .* no control characters/,
  ],
  [{ projectName: 'x', count: 1, interviewQuestions: ['a', ' \n'] }, /^interviewQuestions\[1\] .* not white space/],
  ...[
    'https://h.example:0/',
    'https://h.example:00',
    'https://h.example:0?a',
    'https://h.example\\@b.example/',
    'https://h.example/\\',
  ].flatMap((url): [object, RegExp][] => [
    [{ projectName: 'x', count: 1, webhookUrl: url }, /^webhookUrl .* without a backslash or port 0/],
    [{ projectName: 'x', count: 1, requestUrl: url }, /^requestUrl .* without a backslash or port 0/],
  ]),
  [JSON.parse('{"projectName":"x","count":1,"__proto__":{"a":1}}'), /is not a field/],
];

for (const [body, field] of BODIES) {
  const shown = JSON.stringify(body).slice(0, 60);
  test(`a creation of ${shown} is 400 and names the fault`, async () => {
    const response = await post(JSON.stringify(body));
    assert.equal(response.status, 400);
    assert.match(await errorOf(response), field);
  });
}

test('a 400 names every wrong field in one sentence, at most ten', async () => {
  const wrong = { count: 0, maxDurationSec: '9', webhookUrl: 'x', interviewQuestions: ['a', '', ''], nope: 1 };
  const sentence = await errorOf(await post(JSON.stringify(wrong)));
  assert.deepEqual(
    sentence.split('; ').map(each => each.split(' ', 2).join(' ')),
    [
      'projectName is',
      'count must',
      'maxDurationSec must',
      'webhookUrl must',
      'interviewQuestions[1] must',
      '"nope" is',
    ],
    sentence,
  );
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`x${at}`, at]));
  const clauses = (await errorOf(await post(JSON.stringify({ projectName: 'x', count: 1, ...many })))).split('; ');
  assert.deepEqual([clauses.length, clauses.at(-1)], [11, 'and there is more.']);
  const query = `${projects()}/${PROJECT_ID}/submissions?limit=0&selected=yes&mediaStatus=no`;
  assert.match(
    await errorOf(await fetch(query, { headers: harness.bearer })),
    /^limit .*; selected must be true or false, not "yes"; mediaStatus must be one of processing, ready, failed, not "no"\.$/,
  );
  const said = async (query: string) => {
    const response = await fetch(`${projects()}/${PROJECT_ID}/submissions?${query}`, { headers: harness.bearer });
    return [response.headers.get('error-code'), await errorOf(response)];
  };
  const [reason, both] = await said('status=used&created_after=x&limit=0');
  assert.equal(reason, 'filter_unknown');
  assert.match(String(both), /^status is not a filter .* leave it out; Write createdAfter: .*; limit must be /);
  assert.match(
    String((await said('createdAfter=2026-01-01T00:00:00+01:00'))[1]),
    /with its zone, .* \(in an address \+ is written %2B\)\.$/,
  );
});

test('an error sentence does not repeat a token in the wrong place', async () => {
  const token = `api_${'aB1'.repeat(12)}`;
  const headers = { ...harness.bearer, 'content-type': 'application/json' };
  const wrong = [
    fetch(projects(), { method: 'POST', headers, body: JSON.stringify({ projectName: 'x', [token]: 1 }) }),
    fetch(`${projects()}/${PROJECT_ID}/submissions?selected=${token}`, { headers }),
  ];
  for (const answer of await Promise.all(wrong)) {
    assert.equal(answer.status, 400);
    assert.match(String(await errorOf(answer)), /api_\[redacted\]/);
  }
});

test('count and sharedLinkEnabled are not fields of an update', async () => {
  for (const field of ['count', 'sharedLinkEnabled']) {
    const response = await fetch(`${projects()}/${PROJECT_ID}`, {
      method: 'PATCH',
      body: JSON.stringify({ [field]: 1 }),
      headers: { ...harness.bearer, 'content-type': 'application/json' },
    });
    assert.equal(response.status, 400);
    assert.match(await errorOf(response), new RegExp(`"${field}" is not a field`));
  }
});

test('a route that takes no body refuses fields, and accepts none or {}', async () => {
  const project = `${projects()}/${PROJECT_ID}`;
  const send = (path: string, body: string) =>
    fetch(project + path, { method: 'POST', body, headers: { ...harness.bearer, 'content-type': 'application/json' } });
  const paths = [
    '/dashboard-token',
    `/webhook-deliveries/${randomUUID()}/redeliver`,
    `/submissions/${randomUUID()}/transcript`,
    `/submissions/${randomUUID()}/media`,
  ];
  for (const path of paths) {
    const refused = await send(path, '{"bogus":1}');
    assert.equal(refused.status, 400, path);
    assert.equal(await errorOf(refused), '"bogus" is not a field that this body takes.');
    for (const body of ['', '{}']) assert.notEqual((await send(path, body)).status, 400, `${path} ${body}`);
  }
});

const QUERIES: [query: string, status: number][] = [
  ['limit=0', 400],
  ['limit=101', 400],
  ['limit=x', 400],
  ['limit=', 400],
  ['limit=1.5', 400],
  ['limit=1&limit=2', 400],
  ['selected=yes', 400],
  ['selected=1', 400],
  ['transcriptStatus=done', 400],
  ['cursor=', 400],
  ['unknown=1&limit=100', 400],
  ['limit=100&selected=true&transcriptStatus=failed', 404],
];

for (const [query, status] of QUERIES) {
  test(`submissions?${query} is ${status}`, async () => {
    const response = await fetch(`${projects()}/${PROJECT_ID}/submissions?${query}`, { headers: harness.bearer });
    assert.equal(response.status, status);
    const sentence = await errorOf(response);
    if (status === 400) assert.match(sentence, new RegExp(`^${query.split('=')[0]} `));
  });
}

test('a malformed id is 400 and names it; an unknown well-formed one is 404', async () => {
  for (const id of ['x', `${PROJECT_ID}0`, `urn:uuid:${PROJECT_ID}`, '%00']) {
    const response = await fetch(`${projects()}/${id}`, { headers: harness.bearer });
    assert.equal(response.status, 400, id);
    assert.match(await errorOf(response), /^projectId must be a UUID/);
  }
  assert.equal((await fetch(`${projects()}/${PROJECT_ID}`, { headers: harness.bearer })).status, 404);
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
