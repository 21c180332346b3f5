import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { presentDelivery, presentOwnProject } from '@recording-request/contract/present';
import { mintToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import { TranscriptStatus } from '@recording-request/proto/submissions/v1/submissions';
import { at, counts, delivery, presented, project, startOwnerGateway, submission } from './owner-gateway.ts';
import { asProject, OWNER_ID, PROJECT_ID, SUBMISSION_ID } from './test-service.ts';

const { harness, calls, url, json } = await startOwnerGateway();
after(() => harness[Symbol.asyncDispose]());

test('the JSON is exactly the presenters’ result', async () => {
  assert.deepEqual(await json(project), presentOwnProject(asProject(), 'https://rec.example', counts));
  assert.deepEqual(await json(`${project}/submissions/${SUBMISSION_ID}`, { method: 'PATCH', body: {} }), presented);
  assert.deepEqual(await json(`${project}/submissions/${SUBMISSION_ID}/transcript`, { method: 'POST' }), presented);
  const me = await json('/me');
  assert.deepEqual([me.userName, me.remainingVideos, me.tokenLabel], ['Ada', 7, 'test']);
  assert.equal((await json('/projects')).projects[0].stats.videosCreated, 4);
  assert.deepEqual((await json(`${project}/webhook-deliveries`)).deliveries, [presentDelivery(delivery)]);
  assert.deepEqual(await json(`${project}/webhook-test`, { method: 'POST' }), presentDelivery(delivery));
  assert.equal(
    (await json(`${project}/dashboard-token`, { method: 'POST' })).dashboardUrl,
    'https://rec.example/project/prj_new',
  );
  const closedAt = at.toISOString();
  assert.equal((await json(`${project}/close`, { method: 'POST' })).closedAt, closedAt);
  assert.equal((await json(`${project}/reopen`, { method: 'POST' })).closedAt, null);
  assert.ok((await json(`${project}/links/${OWNER_ID}`, { method: 'PATCH', body: { disabled: true } })).qrCodePngUrl);
  assert.equal((await json(`${project}/links`)).recipientUrls.length, 1);
});

test('a test event has the requested type, with a body or without one', async () => {
  calls.tested.length = 0;
  const path = `${project}/webhook-test`;
  for (const body of [undefined, {}, null, { type: 'response.completed' }]) await json(path, { method: 'POST', body });
  assert.deepEqual(calls.tested, ['', '', '', 'response.completed']);
  for (const body of [{ type: 'response.done' }, { type: null }, { kind: 'x' }, []]) {
    const headers = { ...harness.bearer, 'content-type': 'application/json' };
    const refused = await fetch(url(path), { method: 'POST', headers, body: JSON.stringify(body) });
    assert.equal(refused.status, 400, JSON.stringify(body));
  }
});

test('the webhooks service is called only for a new address; the change is stored even when that call fails', async () => {
  await json(project, { method: 'PATCH', body: { noteEnabled: true } });
  assert.deepEqual(calls.refreshed, []);
  for (const webhookUrl of ['https://h.example/', '']) await json(project, { method: 'PATCH', body: { webhookUrl } });
  assert.deepEqual(calls.refreshed, [PROJECT_ID, PROJECT_ID]);
});

test('the owner sees that the endpoint is paused and why, and the state of each delivery', async () => {
  const page = await json(`${project}/webhook-deliveries`);
  const iso = at.toISOString();
  assert.deepEqual(page.endpoint, {
    state: 'paused',
    failingSince: iso,
    lastStatusCode: 410,
    lastError: 'the endpoint answered 410',
    pausedAt: iso,
    pauseReason: 'The endpoint answered 410 Gone.',
  });
  const states = ([1, 2, 3, 4, 5] as const).map(state => presentDelivery({ ...delivery, state }).state);
  assert.deepEqual(states, ['pending', 'delivered', 'paused', 'failed', 'erased']);
});

test('deliveries are resent by project and by time', async () => {
  const send = (body: unknown) => json(`${project}/webhook-deliveries/redeliver`, { method: 'POST', body });
  assert.deepEqual(await send({}), { projectId: PROJECT_ID, count: 3 });
  assert.deepEqual(calls.redelivered, {
    projectId: PROJECT_ID,
    from: undefined,
    to: undefined,
    undeliveredOnly: false,
  });
  await send({ from: '2026-03-02T10:00:00+02:00', to: '2026-03-03T00:00:00.5Z', undeliveredOnly: true });
  assert.deepEqual(calls.redelivered, {
    projectId: PROJECT_ID,
    from: new Date('2026-03-02T08:00:00Z'),
    to: new Date('2026-03-03T00:00:00.500Z'),
    undeliveredOnly: true,
  });
  await send({ from: '2024-02-29T00:00:00Z' });
  const noDays = ['2026-13-01T00:00:00Z', '2020-02-30T00:00:00Z', '2023-02-29T00:00:00+01:00', '2026-03-02T24:00:00Z'];
  for (const from of ['2026-03-02', '2020-02-30', '2026-03-02T10:00:00', 'yesterday', '', 7, ...noDays]) {
    const response = await fetch(url(`${project}/webhook-deliveries/redeliver`), {
      method: 'POST',
      headers: { ...harness.bearer, 'content-type': 'application/json' },
      body: JSON.stringify({ from }),
    });
    assert.equal(response.status, 400, String(from));
    assert.match(((await response.json()) as { error: string }).error, /^from must be a time with its zone/);
  }
});

test('a creation carries its key and a hash of its body', async () => {
  const body = { projectName: ' A ', count: 2 };
  const result = await json('/projects', { method: 'POST', body, headers: { 'idempotency-key': 'k1' } });
  assert.equal(result.count, 2);
  assert.equal(calls.created?.idempotencyKey, 'k1');
  assert.equal(calls.created?.settings?.projectName, ' A ', 'the projects service trims it');
  assert.equal(calls.created?.expiresInSeconds, 30 * 86_400);
  const { bodyHash } = calls.created!;
  const again = { method: 'POST', headers: { 'idempotency-key': 'k1' } };
  await json('/projects', { ...again, body: { count: 2, projectName: ' A ' } });
  assert.deepEqual(calls.created?.bodyHash, bodyHash, 'the order of the fields does not matter');
  await json('/projects', { ...again, body: { ...body, count: 3 } });
  assert.notDeepEqual(calls.created?.bodyHash, bodyHash);
  const long = await fetch(url('/projects'), {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...harness.bearer, 'content-type': 'application/json', 'idempotency-key': 'k'.repeat(256) },
  });
  assert.equal(long.status, 400);
  assert.match(((await long.json()) as { error: string }).error, /^idempotency-key/);
});

test('an update sends only its fields; an id in capitals is the same id', async () => {
  await json(project.toUpperCase().replace('/PROJECTS', '/projects'), { method: 'PATCH', body: { noteEnabled: true } });
  assert.equal(calls.updated?.projectId, PROJECT_ID);
  assert.deepEqual(calls.updated?.settings?.names, ['noteEnabled']);
  assert.equal(calls.updated?.settings?.values?.noteEnabled, true);
  assert.equal(calls.updated?.expiry, undefined);
});

test('a path with an empty segment is an unknown route', async () => {
  const dashboard = new URL(`/project/${mintToken('prj')}/submissions//video`, url('/')).href;
  const link = new URL(`/r/${mintToken('vr')}/responses/`, url('/')).href;
  for (const path of [
    ...['/projects/', '/projects//links', `${project}/submissions//video`, '/projects//submissions/x'].map(url),
    ...[dashboard, link],
  ]) {
    for (const headers of [harness.bearer, undefined]) {
      const answer = await fetch(path, headers && { headers });
      assert.deepEqual([answer.status, answer.headers.get('error-code')], [404, 'not_found'], path);
      assert.match(
        ((await answer.json()) as { error: string }).error,
        /^There is no such route: the path has nothing where \w+Id belongs\.$/,
        path,
      );
    }
  }
});

test('the answer to a path with one /api too many says so', async () => {
  const { origin } = new URL(url('/'));
  const sentenceOf = async (path: string) => {
    const answer = await fetch(origin + path, { headers: harness.bearer });
    assert.equal(answer.status, 404, path);
    return ((await answer.json()) as { error: string }).error;
  };
  for (const path of ['/api/api/me', '/api/api/projects?limit=1', '/api/mcp'])
    assert.match(await sentenceOf(path), /^There is no such route\. .*leave out the first \/api of the path\.$/, path);
  for (const path of ['/api/nowhere', '/api/api/nowhere', '/api/api', '/nowhere'])
    assert.equal(await sentenceOf(path), 'There is no such route.', path);
});

test('transcripts are text in UTF-8', async () => {
  const text = await fetch(url(`${project}/submissions/${SUBMISSION_ID}/transcript.txt`), { headers: harness.bearer });
  assert.equal(text.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.equal(await text.text(), 'héllo');
  const vtt = await fetch(url(`${project}/submissions/${SUBMISSION_ID}/transcript.vtt`), { headers: harness.bearer });
  assert.equal(vtt.headers.get('content-type'), 'text/vtt; charset=utf-8');
  const srt = await fetch(url(`${project}/submissions/${SUBMISSION_ID}/transcript.srt`), { headers: harness.bearer });
  assert.equal(srt.headers.get('content-type'), 'application/x-subrip; charset=utf-8');
  assert.match(srt.headers.get('content-disposition') ?? '', /^inline; filename=".*transcript\.srt"/);
  assert.equal(await srt.text(), '1\n00:00:00,400 --> 00:00:02,100\nhéllo & so on\n');
});

test('a transcript that is not completed is 404', async () => {
  const { getSubmission } = harness.behind.submissions!;
  try {
    for (const transcriptStatus of ['PENDING', 'PROCESSING', 'FAILED', 'DISABLED', 'UNSPECIFIED'] as const) {
      const state = TranscriptStatus[`TRANSCRIPT_STATUS_${transcriptStatus}`];
      harness.behind.submissions!.getSubmission = async () => ({
        submission: { ...submission, transcriptStatus: state },
      });
      for (const file of ['transcript.txt', 'transcript.vtt', 'transcript.srt']) {
        const answer = await fetch(url(`${project}/submissions/${SUBMISSION_ID}/${file}`), { headers: harness.bearer });
        assert.deepEqual([answer.status, answer.headers.get('error-code')], [404, 'not_found'], transcriptStatus);
      }
    }
  } finally {
    harness.behind.submissions!.getSubmission = getSubmission!;
  }
});

test('a request with the current ETag gets 304 without a body', async () => {
  const one = `${project}/submissions/${SUBMISSION_ID}`;
  const paths = [
    '/me',
    '/projects',
    project,
    `${project}/links`,
    `${project}/submissions`,
    `${project}/submissions?limit=3`,
  ];
  for (const path of [
    ...paths,
    one,
    `${one}/transcript.txt`,
    `${one}/transcript.vtt`,
    `${one}/transcript.srt`,
    `${project}/webhook-deliveries`,
  ]) {
    for (const encoding of ['identity', 'br']) {
      const headers = { ...harness.bearer, 'accept-encoding': encoding };
      const first = await fetch(url(path), { headers });
      const etag = first.headers.get('etag') ?? '';
      assert.equal(first.status, 200, path);
      assert.match(etag, /^W\/"[\w-]{20,}"$/, path);
      const ask = (seen: string, method = 'GET') =>
        fetch(url(path), { method, headers: { ...headers, 'if-none-match': seen } });
      for (const method of ['GET', 'HEAD']) {
        const same = await ask(`"other", ${etag}`, method);
        assert.deepEqual([same.status, same.headers.get('etag'), await same.text()], [304, etag, ''], path);
      }
      const other = await ask('"other"');
      assert.deepEqual([other.status, await other.text()], [200, await first.text()], path);
    }
  }
  const { getSubmission, listSubmissions } = harness.behind.submissions!;
  const requested = [one, `${project}/submissions?limit=4`];
  const tags = () =>
    Promise.all(requested.map(async path => (await fetch(url(path), { headers: harness.bearer })).headers.get('etag')));
  const before = await tags();
  try {
    const changed = { ...submission, reviewNote: 'Seen' };
    harness.behind.submissions!.getSubmission = async () => ({ submission: changed });
    harness.behind.submissions!.listSubmissions = async () => ({ submissions: [changed], nextCursor: '' });
    const now = await tags();
    assert.ok(
      now.every((etag, index) => etag !== before[index]),
      'another note is another ETag',
    );
  } finally {
    Object.assign(harness.behind.submissions!, { getSubmission, listSubmissions });
  }
});

test('the names of downloads have the project, and the link and the question of a clip', async () => {
  const { getSubmission } = harness.behind.submissions!;
  const { getProject } = harness.behind.projects!;
  const clip = { ...submission, link: { position: 3 }, questionIndex: 1, questionText: 'What is "new"?' };
  const nameOf = async (path: string, init: RequestInit = { headers: harness.bearer }) =>
    (await fetch(path, init)).headers.get('content-disposition');
  const text = `${project}/submissions/${SUBMISSION_ID}/transcript.txt`;
  const dashboards = `${harness.base}/project/${mintToken('prj')}`;
  try {
    harness.behind.submissions!.getSubmission = async () => ({ submission: clip });
    await json(project, { method: 'PATCH', body: { projectName: 'x' } });
    const named = 'inline; filename="Stories - Link 3 - Question 2 What is new - transcript.txt"';
    assert.equal(await nameOf(url(text)), named);
    assert.equal(await nameOf(`${dashboards}/submissions/${SUBMISSION_ID}/transcript.txt`), named);
    assert.equal(await nameOf(url(`${project}/shared-link/qr.png`)), 'inline; filename="Stories - recording link.png"');
    const csv = await nameOf(url(`${project}/export.csv`), { method: 'HEAD', headers: harness.bearer });
    assert.equal(csv, 'attachment; filename="Stories - submissions.csv"');
    harness.behind.projects!.getProject = async () => {
      throw new DomainError('unavailable', 'The projects service is down.');
    };
    await json(project, { method: 'PATCH', body: { projectName: 'x' } });
    assert.equal(await nameOf(url(text)), named.replace('Stories - ', ''), 'a transcript is sent without its name');
  } finally {
    harness.behind.submissions!.getSubmission = getSubmission!;
    harness.behind.projects!.getProject = getProject!;
  }
});

test('the QR code is a PNG that does not change, for the owner and for the dashboard', async () => {
  const first = await fetch(url(`${project}/shared-link/qr.png`), { headers: harness.bearer });
  assert.equal(first.headers.get('content-type'), 'image/png');
  const png = Buffer.from(await first.arrayBuffer());
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  const etag = first.headers.get('etag') ?? '';
  const again = await fetch(url(`${project}/shared-link/qr.png`), {
    headers: { ...harness.bearer, 'if-none-match': etag },
  });
  assert.deepEqual([again.status, again.headers.get('etag'), again.headers.get('vary')], [304, etag, null]);
  const seen = await fetch(`${harness.base}/project/${mintToken('prj')}/shared-link/qr.png`);
  assert.deepEqual(Buffer.from(await seen.arrayBuffer()), png);
  assert.equal(seen.headers.get('cache-control'), 'no-store');
});
