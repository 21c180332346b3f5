import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { UpdateResponseBody } from '@recording-request/contract/requests';
import { errorOf } from './error-of.ts';
import { PROJECT_ID, startTestGateway, type TestGateway } from './test-service.ts';

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
