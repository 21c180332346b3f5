import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { after, before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import {
  presentDelivery,
  presentProjectDetail,
  presentSubmission,
  summaryOf,
} from '@recording-request/contract/present';
import { mintToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import type {
  CreateProjectRequest,
  ListLinksRequest,
  UpdateProjectRequest,
} from '@recording-request/proto/projects/v1/projects';
import { MediaStatus, type Submission, TranscriptStatus } from '@recording-request/proto/submissions/v1/submissions';
import { EndpointState } from '@recording-request/proto/webhooks/v1/webhooks';
import { asProject, OWNER_ID, PROJECT_ID, SUBMISSION_ID, startTestGateway, type TestGateway } from './test-service.ts';

/** Without its pictures. */
const DASHBOARD_BYTES = 40 * 1024;
const at = new Date('2026-01-02T03:04:05.006Z');
const counts = {
  videosCreated: 4,
  selectedVideos: 1,
  transcriptCompleted: 2,
  transcriptPending: 1,
  transcriptFailed: 1,
};
const user = { userId: OWNER_ID, userName: 'Ada', videoLimit: 10, videosReserved: 3, createdAt: at };
const link = (linkType: 1 | 2, token = mintToken('vr')) => ({
  linkId: OWNER_ID,
  token,
  linkType,
  status: 1 as const,
  maxUses: 1,
  submissionCount: 0,
  remainingUses: 1,
  createdAt: at,
});
const links = { sharedLink: link(2), uniqueLinks: [link(1)] };
const submission: Submission = {
  submissionId: SUBMISSION_ID,
  videoId: SUBMISSION_ID,
  linkId: OWNER_ID,
  projectId: PROJECT_ID,
  ownerId: OWNER_ID,
  createdAt: at,
  selected: true,
  note: '<script>alert(1)</script>',
  transcriptStatus: TranscriptStatus.TRANSCRIPT_STATUS_COMPLETED,
  transcriptText: 'héllo',
  transcriptVtt: 'WEBVTT\n',
  hasThumbnails: true,
  hasAudio: true,
  mediaStatus: 2,
  incomplete: false,
  sha256: 'ab',
  durationSec: 1.4,
};
const delivery = {
  deliveryId: SUBMISSION_ID,
  eventId: OWNER_ID,
  eventType: 'submission.completed',
  projectId: PROJECT_ID,
  submissionId: SUBMISSION_ID,
  state: 2 as const,
  createdAt: at,
  deliveredAt: at,
  attemptCount: 1,
  attempts: [{ at, statusCode: 200, error: '', durationMs: 5 }],
  test: false,
};

const endpoint = {
  state: EndpointState.ENDPOINT_STATE_PAUSED,
  failingSince: at,
  pausedAt: at,
  pauseReason: 'The endpoint answered 410 Gone.',
};

let harness: TestGateway;
let redelivered: unknown;
const tested: string[] = [];
const refreshed: string[] = [];
let created: CreateProjectRequest | undefined;
let updated: UpdateProjectRequest | undefined;
let listed: unknown;
let askedLinks: ListLinksRequest | undefined;

before(async () => {
  harness = await startTestGateway({
    accounts: { getUser: async () => ({ user }) },
    projects: {
      listProjects: async () => ({ projects: [], summaries: [summaryOf(asProject())] }),
      getProject: async () => ({ project: asProject() }),
      resolveDashboardToken: async () => ({ ownerId: OWNER_ID, projectId: PROJECT_ID }),
      async listLinks(request) {
        askedLinks = request;
        return { ...links, nextCursor: request.pageSize ? 'more' : undefined };
      },
      getSharedLink: async () => ({ link: link(2, 'vr_fixed') }),
      setLinkDisabled: async () => ({ link: link(2) }),
      rotateDashboardToken: async () => ({ projectToken: 'prj_new' }),
      async createProject(request) {
        created = request;
        return {
          project: asProject(),
          projectToken: 'prj_x',
          uniqueLinks: [link(1), link(1)],
          user,
          reservedVideoCount: 2,
          replayed: false,
        };
      },
      async updateProject(request) {
        updated = request;
        return { project: asProject() };
      },
    },
    submissions: {
      countSubmissions: async () => ({ counts: { [PROJECT_ID]: counts } }),
      measureVideos: async () => ({ bytes: 5_000_000, selectedBytes: 1_000_000 }),
      async listSubmissions(request) {
        listed = request;
        return { submissions: [submission], nextCursor: 'next' };
      },
      getSubmission: async () => ({ submission }),
      updateSubmission: async () => ({ submission }),
      requestTranscript: async () => ({ submission }),
    },
    webhooks: {
      listDeliveries: async () => ({ deliveries: [delivery], nextCursor: '', endpoint }),
      async redeliverRange(request) {
        redelivered = request;
        return { count: 3 };
      },
      redeliver: async () => ({ delivery }),
      async sendTest({ eventType }) {
        tested.push(eventType);
        return { delivery };
      },
      async refreshEndpoint({ projectId }) {
        refreshed.push(projectId);
        throw new DomainError('unavailable', 'The webhooks service is away.');
      },
    },
  });
});
after(() => harness[Symbol.asyncDispose]());

const url = (path: string) => `${harness.base}/api${path}`;
async function json(path: string, init: { method?: string; body?: unknown; headers?: Record<string, string> } = {}) {
  const response = await fetch(url(path), {
    ...(init.method && { method: init.method }),
    headers: {
      ...harness.bearer,
      ...init.headers,
      ...(init.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
  });
  assert.equal(response.status, 200, `${path}: ${await response.clone().text()}`);
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  // biome-ignore lint/suspicious/noExplicitAny: the shapes are what the tests look at
  return (await response.json()) as any;
}
const project = `/projects/${PROJECT_ID}`;
const presented = presentSubmission(submission, { baseUrl: 'https://rec.example', projectName: 'Stories' });

test('what is serialised is what the presenters made', async () => {
  assert.deepEqual(await json(project), presentProjectDetail(asProject(), counts));
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
  assert.ok((await json(`${project}/links/${OWNER_ID}`, { method: 'PATCH', body: { disabled: true } })).qrCodePngUrl);
  assert.equal((await json(`${project}/links`)).recipientUrls.length, 1);
});

test('a test event has the type that is asked for, with a body or without one', async () => {
  tested.length = 0;
  const path = `${project}/webhook-test`;
  for (const body of [undefined, {}, null, { type: 'response.completed' }]) await json(path, { method: 'POST', body });
  assert.deepEqual(tested, ['', '', '', 'response.completed']);
  for (const body of [{ type: 'response.done' }, { type: null }, { kind: 'x' }, []]) {
    const headers = { ...harness.bearer, 'content-type': 'application/json' };
    const refused = await fetch(url(path), { method: 'POST', headers, body: JSON.stringify(body) });
    assert.equal(refused.status, 400, JSON.stringify(body));
  }
});

test('webhooks are told of an address that was set, and of nothing else; the change holds where they are away', async () => {
  await json(project, { method: 'PATCH', body: { noteEnabled: true } });
  assert.deepEqual(refreshed, []);
  for (const webhookUrl of ['https://h.example/', '']) await json(project, { method: 'PATCH', body: { webhookUrl } });
  assert.deepEqual(refreshed, [PROJECT_ID, PROJECT_ID]);
});

test('the owner sees that the endpoint is paused and why, and each delivery in the state that it is in', async () => {
  const page = await json(`${project}/webhook-deliveries`);
  const iso = at.toISOString();
  assert.deepEqual(page.endpoint, {
    state: 'paused',
    failingSince: iso,
    pausedAt: iso,
    pauseReason: 'The endpoint answered 410 Gone.',
  });
  const states = ([1, 2, 3, 4, 5] as const).map(state => presentDelivery({ ...delivery, state }).state);
  assert.deepEqual(states, ['pending', 'delivered', 'paused', 'failed', 'erased']);
});

test('deliveries are sent again by project and by time', async () => {
  const send = (body: unknown) => json(`${project}/webhook-deliveries/redeliver`, { method: 'POST', body });
  assert.deepEqual(await send({}), { projectId: PROJECT_ID, count: 3 });
  assert.deepEqual(redelivered, { projectId: PROJECT_ID, from: undefined, to: undefined, undeliveredOnly: false });
  await send({ from: '2026-03-02T10:00:00+02:00', to: '2026-03-03T00:00:00.5Z', undeliveredOnly: true });
  assert.deepEqual(redelivered, {
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

test('a creation carries its key and the hash of the uploaded bytes', async () => {
  const body = { projectName: ' A ', count: 2 };
  const result = await json('/projects', { method: 'POST', body, headers: { 'idempotency-key': 'k1' } });
  assert.equal(result.count, 2);
  assert.equal(created?.idempotencyKey, 'k1');
  assert.equal(created?.settings?.projectName, 'A');
  assert.equal(created?.expiresInSeconds, 30 * 86_400);
  assert.deepEqual(created?.bodyHash, createHash('sha256').update(JSON.stringify(body)).digest());
  const long = await fetch(url('/projects'), {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...harness.bearer, 'content-type': 'application/json', 'idempotency-key': 'k'.repeat(256) },
  });
  assert.equal(long.status, 400);
  assert.match(((await long.json()) as { error: string }).error, /^idempotency-key/);
});

test('an update sends what it names; an id in capitals is the same id', async () => {
  await json(project.toUpperCase().replace('/PROJECTS', '/projects'), { method: 'PATCH', body: { noteEnabled: true } });
  assert.equal(updated?.projectId, PROJECT_ID);
  assert.equal(updated?.noteEnabled, true);
  assert.equal(updated?.projectName, undefined);
  assert.equal(updated?.expiry, undefined);
});

test('a page of submissions', async () => {
  const page = await json(`${project}/submissions?limit=7&selected=false&transcriptStatus=failed&cursor=abc`);
  assert.deepEqual(page, { projectId: PROJECT_ID, submissions: [presented], pagination: { nextCursor: 'next' } });
  assert.deepEqual(listed, {
    ownerId: OWNER_ID,
    projectId: PROJECT_ID,
    filter: { selected: false, transcriptStatus: TranscriptStatus.TRANSCRIPT_STATUS_FAILED },
    pageSize: 7,
    cursor: 'abc',
    search: undefined,
    linkId: undefined,
    responseSessionId: undefined,
    mediaStatus: undefined,
    createdAfter: undefined,
    changedAfter: undefined,
    presentation: undefined,
  });
});

test('page after page costs one call each: the name is known for a moment, and the page comes as it is sent', async () => {
  const { projects, submissions } = harness.behind;
  const before = [{ ...projects! }, { ...submissions! }] as const;
  let [names, projectName] = [0, 'Before'];
  let clips = [submission];
  projects!.getProject = async () => {
    names += 1;
    if (clips.length === 0) throw new DomainError('not_found', 'No such project.');
    return { projectName };
  };
  submissions!.listSubmissions = async ({ presentation }) => {
    if (!presentation || clips.length === 0) return { submissions: clips, nextCursor: '' };
    const shown = clips.map(each => presentSubmission(each, presentation));
    const made = { projectId: PROJECT_ID, submissions: shown, pagination: { nextCursor: null } };
    return { submissions: [], nextCursor: '', pageJson: Buffer.from(JSON.stringify(made)) };
  };
  const page = `${project}/submissions`;
  try {
    // The first look-up may be that of another test.
    await json(project, { method: 'PATCH', body: { projectName: 'Before' } });
    const first = await json(page);
    assert.deepEqual(await json(page), first, 'the same page, however it was made');
    assert.equal(first.submissions[0].projectName, 'Before');
    assert.equal(names, 1, 'a page that follows within a moment asks for no name');
    projectName = 'After';
    await json(project, { method: 'PATCH', body: { projectName } });
    assert.equal((await json(page)).submissions[0].projectName, 'After', 'a new name shows at once');
    clips = [];
    const gone = await fetch(url(page), { headers: harness.bearer });
    assert.equal(gone.status, 404, 'a project that was erased meanwhile is missing, not empty');
  } finally {
    Object.assign(projects!, before[0]);
    Object.assign(submissions!, before[1]);
  }
});

test('the owner narrows the list as the dashboard does, and asks for one submission', async () => {
  const moments = 'createdAfter=2026-03-02T10:00:00Z&changedAfter=2026-03-02T12:00:00%2B01:00';
  await json(`${project}/submissions?q=best&tokenId=${OWNER_ID}&mediaStatus=failed&${moments}`);
  const { search, linkId, mediaStatus, createdAfter, changedAfter } = listed as Record<string, unknown>;
  assert.deepEqual([search, linkId, mediaStatus], ['best', OWNER_ID, MediaStatus.MEDIA_STATUS_FAILED]);
  assert.deepEqual(createdAfter, new Date('2026-03-02T10:00:00Z'));
  assert.deepEqual(changedAfter, new Date('2026-03-02T11:00:00Z'));
  assert.deepEqual(await json(`${project}/submissions/${SUBMISSION_ID}`), presented);
});

test('a filter that a route does not take, or that is written otherwise, is refused by name; the dashboard’s exports ignore it', async () => {
  const here = `${harness.base}/project/${mintToken('prj')}`;
  const answers400 = async (path: string, error: string) => {
    const answer = await fetch(path, { headers: harness.bearer });
    assert.deepEqual([answer.status, await answer.json()], [400, { error }], path);
  };
  const refuses = (path: string, name: string) =>
    answers400(path, `${name} is not a filter that this route takes: leave it out.`);
  const corrects = (path: string, name: string) =>
    answers400(
      path,
      `Write ${name}: upper and lower case count in a parameter's name, and none has an underscore or a hyphen.`,
    );
  await corrects(url(`${project}/submissions?transcriptstatus=failed`), 'transcriptStatus');
  await corrects(url(`${project}/submissions?limit=5&response_session_id=${OWNER_ID}`), 'responseSessionId');
  await corrects(url(`${project}/submissions?Cursor=abc`), 'cursor');
  await corrects(`${here}/links?STATUS=active`, 'status');
  await refuses(url(`${project}/export/project.zip?token-id=${OWNER_ID}`), 'tokenId');
  await refuses(url(`${project}/export/project.zip?tokenId=${OWNER_ID}`), 'tokenId');
  await refuses(url(`${project}/export.csv?selected=true`), 'selected');
  await refuses(url(`${project}/links?status=active`), 'status');
  await refuses(url(`${project}/submissions?status=active`), 'status');
  await refuses(`${here}/links?selected=true`, 'selected');
  assert.equal((await fetch(`${here}/export.csv?selected=true&Selected=true`, { method: 'HEAD' })).status, 200);
  assert.equal(
    (await fetch(url(`${project}/links?Limit=1&_=1`), { headers: harness.bearer })).status,
    200,
    'no filters',
  );
});

test('transcripts are text in UTF-8', async () => {
  const text = await fetch(url(`${project}/submissions/${SUBMISSION_ID}/transcript.txt`), { headers: harness.bearer });
  assert.equal(text.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.equal(await text.text(), 'héllo');
  const vtt = await fetch(url(`${project}/submissions/${SUBMISSION_ID}/transcript.vtt`), { headers: harness.bearer });
  assert.equal(vtt.headers.get('content-type'), 'text/vtt; charset=utf-8');
});

test('a transcript that is not there yet, or never will be, is 404', async () => {
  const { getSubmission } = harness.behind.submissions!;
  try {
    for (const transcriptStatus of ['PENDING', 'PROCESSING', 'FAILED', 'DISABLED', 'UNSPECIFIED'] as const) {
      const state = TranscriptStatus[`TRANSCRIPT_STATUS_${transcriptStatus}`];
      harness.behind.submissions!.getSubmission = async () => ({
        submission: { ...submission, transcriptStatus: state },
      });
      for (const file of ['transcript.txt', 'transcript.vtt']) {
        const answer = await fetch(url(`${project}/submissions/${SUBMISSION_ID}/${file}`), { headers: harness.bearer });
        assert.deepEqual([answer.status, answer.headers.get('error-code')], [404, 'not_found'], transcriptStatus);
      }
    }
  } finally {
    harness.behind.submissions!.getSubmission = getSubmission!;
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

test('the dashboard is a page that runs nothing of what contributors write', async () => {
  const response = await fetch(`${harness.base}/project/${mintToken('prj')}`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-security-policy') ?? '', /script-src 'nonce-[\w+/=]{20,}'/);
  const page = await response.text();
  assert.doesNotMatch(page, /<script>alert/);
  assert.match(page, /&lt;script>alert/);
  assert.match(page, /about 5\.0 MB/);
});

test('the dashboard lists by words and by response, page by page, and says when nothing changed', async () => {
  const here = `${harness.base}/project/${mintToken('prj')}`;
  const capitals = OWNER_ID.toUpperCase();
  const query = `limit=9&q=best%20bread&tokenId=${capitals}&responseSessionId=${capitals}`;
  assert.equal((await fetch(`${here}/submissions?${query}`)).status, 200);
  assert.deepEqual(listed, {
    ownerId: OWNER_ID,
    projectId: PROJECT_ID,
    filter: { selected: undefined, transcriptStatus: TranscriptStatus.TRANSCRIPT_STATUS_UNSPECIFIED },
    pageSize: 9,
    cursor: '',
    search: 'best bread',
    linkId: OWNER_ID,
    responseSessionId: OWNER_ID,
    mediaStatus: undefined,
    createdAfter: undefined,
    changedAfter: undefined,
    presentation: undefined,
  });

  const links = (await (await fetch(`${here}/links?limit=7&status=expired&cursor=x`)).json()) as Record<
    string,
    unknown
  >;
  assert.deepEqual(links.pagination, { nextCursor: 'more' });
  assert.deepEqual([askedLinks?.pageSize, askedLinks?.status, askedLinks?.cursor], [7, 2, 'x']);
  assert.equal((await fetch(`${here}/links?limit=501`)).status, 400);
  assert.deepEqual(await (await fetch(`${here}/submissions/${SUBMISSION_ID}`)).json(), presented);

  const first = await fetch(`${here}/overview`);
  assert.equal(((await first.json()) as { videoBytes: number }).videoBytes, 5_000_000);
  const paths = ['overview', 'submissions?limit=24', 'links?limit=100', `submissions/${SUBMISSION_ID}`];
  for (const path of paths) {
    const etag = (await fetch(`${here}/${path}`)).headers.get('etag') ?? '';
    const again = await fetch(`${here}/${path}`, { headers: { 'if-none-match': etag } });
    assert.deepEqual([again.status, await again.text(), again.headers.get('etag')], [304, '', etag], path);
    assert.equal(again.headers.get('vary'), 'accept-encoding', path);
  }
  // The page has the ETags of what it shows: its first poll has no body either.
  const page = await (await fetch(here)).text();
  const { etags } = JSON.parse(/<script id="settings"[^>]*>(.*?)<\/script>/s.exec(page)?.[1] ?? '') as {
    etags: Record<'overview' | 'clips', string>;
  };
  for (const [path, etag] of [
    ['overview', etags.overview],
    ['submissions?limit=24', etags.clips],
  ] as const)
    assert.equal((await fetch(`${here}/${path}`, { headers: { 'if-none-match': etag } })).status, 304, path);
});

/** As fetch asks, but for the decompression. */
async function ask(path: string, encoding: string, method = 'GET') {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(path, { method, headers: { ...harness.bearer, 'accept-encoding': encoding } }, resolve)
    .on('error', reject)
    .end();
  const answer = await promise;
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return { headers: answer.headers, body: Buffer.concat(chunks) };
}

test('a dashboard of 24 clips is small: the page and its script, without the pictures', async t => {
  const words =
    'hello this is what I think of the new bread that we have had for three weeks with our whole family'.split(' ');
  let place = 1;
  const text = (count: number) =>
    Array.from({ length: count }, () => {
      place = (place * 16_807) % 2_147_483_647;
      return words[place % words.length];
    }).join(' ');
  const clips = Array.from({ length: 24 }, (_, index) => ({
    ...submission,
    ...{ submissionId: randomUUID(), videoId: randomUUID(), linkId: randomUUID() },
    createdAt: new Date(at.getTime() + index * 1_234_567),
    ...{ note: text(8), transcriptText: text(70), durationSec: 20 + index, fileSize: 4_000_000 + 12_345 * index },
    sha256: randomBytes(32).toString('hex'),
  }));
  const recipients = Array.from({ length: 30 }, () => ({ ...link(1), linkId: randomUUID() }));
  const { projects, submissions } = harness.behind;
  const before = [{ ...projects! }, { ...submissions! }] as const;
  projects!.listLinks = async () => ({ ...links, uniqueLinks: recipients });
  submissions!.listSubmissions = async () => ({ submissions: clips, nextCursor: '' });
  try {
    const here = `${harness.base}/project/${mintToken('prj')}`;
    const page = (await ask(here, 'identity')).body.toString();
    const [script] = /\/assets\/dashboard-[\w-]+\.js/.exec(page) ?? [];
    for (const encoding of ['br', 'gzip']) {
      const [html, code] = [await ask(here, encoding), await ask(`${harness.base}${script}`, encoding)];
      assert.equal(code.headers['content-encoding'], encoding);
      const [atFirst, size] = [html.body.length, html.body.length + code.body.length];
      t.diagnostic(`${encoding}: ${size} bytes, of which the page ${atFirst}, uncompressed ${page.length}`);
      assert.ok(size <= DASHBOARD_BYTES, `${encoding}: ${size} of at most ${DASHBOARD_BYTES} bytes`);
    }
    const settings = page.indexOf('<script id="settings"');
    assert.ok(settings > page.indexOf('id="links"'), 'what is painted comes before what the script reads');
    assert.doesNotMatch(page.slice(settings), /transcript_?[Vv]tt|videoUrl|sha256/, 'the script is given what it uses');
  } finally {
    Object.assign(projects!, before[0]);
    Object.assign(submissions!, before[1]);
  }
});

test('text is compressed as the client takes it, also for HEAD, and its ETag is weak then', async () => {
  const here = `${harness.base}/project/${mintToken('prj')}`;
  for (const path of [url(`${project}/submissions`), `${here}/submissions`, here]) {
    const { body: plain, headers } = await ask(path, 'identity');
    assert.deepEqual([headers['content-encoding'], headers.vary], [undefined, 'accept-encoding'], path);
    for (const [encoding, expand] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const sent = await ask(path, encoding);
      assert.deepEqual([sent.headers['content-encoding'], sent.headers.vary], [encoding, 'accept-encoding'], path);
      assert.equal(sent.headers['content-length'], String(sent.body.length), path);
      assert.ok(sent.body.length < 0.7 * plain.length, `${path}: ${sent.body.length} of ${plain.length} bytes`);
      // A page has a nonce and padding of its own each time.
      if (path !== here) assert.deepEqual(expand(sent.body), plain, path);
      assert.match(sent.headers.etag ?? 'W/', /^W\//, path);
      const head = await ask(path, encoding, 'HEAD');
      assert.deepEqual([head.headers['content-encoding'], head.body.length], [encoding, 0], path);
    }
  }
  const short = await ask(url(project), 'br');
  assert.equal(short.headers['content-encoding'], short.body.length < 1_024 ? undefined : 'br');
  assert.equal((await ask(`${harness.base}/api/nothing`, 'br')).headers['content-encoding'], undefined);
});

test('the length of the dashboard’s page tells nothing of the secrets in it', async () => {
  const here = `${harness.base}/project/${mintToken('prj')}`;
  const lengths = new Set<number>();
  for (let visit = 0; visit < 8; visit++) lengths.add((await (await fetch(here)).text()).length);
  assert.ok(lengths.size > 1, 'the same page has the same length each time');
});

test('a dashboard that is not there is a page for a browser and JSON for a program', async () => {
  const gone = `${harness.base}/project/${mintToken('api')}`;
  const page = await fetch(gone, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  assert.equal(page.status, 404);
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(await page.text(), /Dashboard not found/);
  for (const [path, accept] of [
    ['', '*/*'],
    ['/overview', 'text/html'],
  ] as const) {
    const answer = await fetch(gone + path, { headers: { accept } });
    assert.deepEqual([answer.status, await answer.json()], [404, { error: 'There is no such dashboard.' }]);
  }
});
