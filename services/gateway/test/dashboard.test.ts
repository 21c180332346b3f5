import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { after, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { DashboardEndpointJson } from '@recording-request/contract/resources/dashboard';
import { mintToken } from '@recording-request/contract/tokens';
import { TranscriptStatus } from '@recording-request/proto/submissions/v1/submissions';
import { at, link, links, presented, project, startOwnerGateway, submission } from './owner-gateway.ts';
import { OWNER_ID, PROJECT_ID, SUBMISSION_ID } from './test-service.ts';

/** The limit for the page and its files, without pictures. */
const DASHBOARD_BYTES = 40 * 1024;

const { harness, calls, url } = await startOwnerGateway();
after(() => harness[Symbol.asyncDispose]());

test('the dashboard page runs no code that contributors write', async () => {
  const response = await fetch(`${harness.base}/project/${mintToken('prj')}`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-security-policy') ?? '', /script-src 'nonce-[\w+/=]{20,}'/);
  const page = await response.text();
  assert.doesNotMatch(page, /<script>alert/);
  assert.match(page, /&lt;script>alert/);
  assert.match(page, /about 5\.0 MB/);
});

test('the dashboard lists by words and by response, page by page, and answers 304 when nothing changed', async () => {
  const here = `${harness.base}/project/${mintToken('prj')}`;
  const capitals = OWNER_ID.toUpperCase();
  const query = `limit=9&q=best%20bread&tokenId=${capitals}&responseSessionId=${capitals}`;
  assert.equal((await fetch(`${here}/submissions?${query}`)).status, 200);
  assert.deepEqual(calls.listed, {
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
    createdBefore: undefined,
    changedAfter: undefined,
    origins: undefined,
    omitTranscripts: undefined,
    presentation: undefined,
  });

  const links = (await (await fetch(`${here}/links?limit=7&status=expired&cursor=x`)).json()) as Record<
    string,
    unknown
  >;
  assert.deepEqual(links.pagination, { nextCursor: 'more' });
  assert.deepEqual([calls.askedLinks?.pageSize, calls.askedLinks?.status, calls.askedLinks?.cursor], [7, 2, 'x']);
  assert.equal((await fetch(`${here}/links?limit=501`)).status, 400);
  assert.deepEqual(await (await fetch(`${here}/submissions/${SUBMISSION_ID}`)).json(), presented);

  const endpoint = (await (await fetch(`${here}/webhook-endpoint`)).json()) as DashboardEndpointJson;
  assert.deepEqual(
    [endpoint.projectId, endpoint.endpoint?.state, endpoint.endpoint?.lastStatusCode],
    [PROJECT_ID, 'paused', 410],
  );

  const first = await fetch(`${here}/overview`);
  assert.equal(((await first.json()) as { videoBytes: number }).videoBytes, 5_000_000);
  const paths = [
    'overview',
    'webhook-endpoint',
    'submissions?limit=24',
    'links?limit=100',
    `submissions/${SUBMISSION_ID}`,
  ];
  for (const path of paths) {
    const etag = (await fetch(`${here}/${path}`)).headers.get('etag') ?? '';
    const again = await fetch(`${here}/${path}`, { headers: { 'if-none-match': etag } });
    assert.deepEqual([again.status, await again.text(), again.headers.get('etag')], [304, '', etag], path);
    assert.equal(again.headers.get('vary'), 'accept-encoding', path);
  }
  // The page contains the ETags of its content, so even its first poll gets no body.
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

/** Sends a request like fetch, but does not decompress the response. */
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
    assert.ok(settings > page.indexOf('id="links"'), 'the visible part comes before the data of the script');
    assert.doesNotMatch(
      page.slice(settings),
      /transcript_?[Vv]tt|videoUrl|sha256/,
      'the page has the data of its script',
    );
  } finally {
    Object.assign(projects!, before[0]);
    Object.assign(submissions!, before[1]);
  }
});

test('text is compressed as the client accepts it, also for HEAD, with a weak ETag', async () => {
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
      // Each page has its own nonce and padding.
      if (path !== here) assert.deepEqual(expand(sent.body), plain, path);
      assert.match(sent.headers.etag ?? 'W/', /^W\//, path);
      const head = await ask(path, encoding, 'HEAD');
      assert.deepEqual([head.headers['content-encoding'], head.body.length], [encoding, 0], path);
    }
  }
  const { body: plain } = await ask(url(project), 'identity');
  const sent = await ask(url(project), 'br');
  assert.equal(sent.headers['content-encoding'], plain.length < 1_024 ? undefined : 'br');
  assert.equal((await ask(`${harness.base}/api/nothing`, 'br')).headers['content-encoding'], undefined);
});

test('the length of the dashboard’s page reveals nothing about its secrets', async () => {
  const here = `${harness.base}/project/${mintToken('prj')}`;
  const lengths = new Set<number>();
  for (let visit = 0; visit < 8; visit++) lengths.add((await (await fetch(here)).text()).length);
  assert.ok(lengths.size > 1, 'the same page has the same length each time');
});

test('a dashboard link with text attached, or with changed capitals, leads to the dashboard', async () => {
  const token = mintToken('prj');
  const here = `/project/${token}`;
  const browser = { redirect: 'manual', headers: { accept: 'text/html,*/*;q=0.8' } } as const;
  const program = { redirect: 'manual' } as const;
  for (const path of [
    ...['/', '//', ')', ').', ',', '.', '%', '%zz', '%20', '>', '”', '%22%3E', 'and', '/.'].map(end => here + end),
    `/Project/${token}`,
    `/PROJECT/${token})`,
  ])
    for (const init of [browser, program, { ...program, method: 'HEAD' }]) {
      const answer = await fetch(harness.base + path, init);
      assert.deepEqual([answer.status, answer.headers.get('location')], [302, here], `${path}: ${await answer.text()}`);
      assert.deepEqual(
        [answer.headers.get('cache-control'), answer.headers.get('referrer-policy')],
        ['no-store', 'no-referrer'],
      );
    }
  assert.equal((await fetch(`${harness.base}${here}/nothing`, browser)).headers.get('location'), here);
  for (const [path, init, status] of [
    [`${here}/nothing`, program, 404],
    [`${here}//export.csv`, program, 404],
    [`${here}/.//export.csv`, program, 404],
    [`${here}/EXPORT.csv`, program, 404],
    [`${here}).//export.csv`, program, 404],
    [`${here}/submissions//video`, program, 404],
    [`${here}/submissions/`, program, 404],
    [`${here}/submissions/x`, browser, 400],
    [`${here})/export.csv`, program, 404],
  ] as const) {
    const answer = await fetch(harness.base + path, init);
    assert.deepEqual([answer.status, answer.headers.get('location')], [status, null], path);
    assert.match(await answer.text(), /^\{"error":/, path);
  }
  const page = await fetch(`${harness.base}/PROJECT/prj_nonsense`, browser);
  assert.equal(page.status, 404);
  assert.match(await page.text(), /Dashboard not found/);
});

test('an unknown dashboard is a page for a browser and JSON for a program', async () => {
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
