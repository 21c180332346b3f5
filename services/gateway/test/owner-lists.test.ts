import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { presentSubmission } from '@recording-request/contract/present';
import { mintToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import { MediaStatus, TranscriptStatus } from '@recording-request/proto/submissions/v1/submissions';
import { presented, project, startOwnerGateway, submission } from './owner-gateway.ts';
import { OWNER_ID, PROJECT_ID, SUBMISSION_ID } from './test-service.ts';

const { harness, calls, url, json } = await startOwnerGateway();
after(() => harness[Symbol.asyncDispose]());

test('a page of submissions', async () => {
  const page = await json(`${project}/submissions?limit=1&selected=false&transcriptStatus=failed&cursor=abc`);
  assert.deepEqual(page, { projectId: PROJECT_ID, submissions: [presented], pagination: { nextCursor: 'next' } });
  assert.deepEqual(calls.listed, {
    ownerId: OWNER_ID,
    projectId: PROJECT_ID,
    filter: { selected: false, transcriptStatus: TranscriptStatus.TRANSCRIPT_STATUS_FAILED },
    pageSize: 1,
    cursor: 'abc',
    search: undefined,
    linkId: undefined,
    responseSessionId: undefined,
    mediaStatus: undefined,
    createdAfter: undefined,
    createdBefore: undefined,
    changedAfter: undefined,
    origins: undefined,
    omitTranscripts: undefined,
    presentation: { baseUrl: 'https://rec.example', projectName: 'Stories', hasInvitations: false },
  });
});

test('the service returns a page as bytes with their ETag, and each further page costs one call: the name is cached', async () => {
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
    return { submissions: [], nextCursor: '', pageJson: Buffer.from(JSON.stringify(made)), pageEtag: 'W/"made"' };
  };
  const page = `${project}/submissions`;
  try {
    // Another test may have cached the project's name.
    await json(project, { method: 'PATCH', body: { projectName: 'Before' } });
    const first = await json(page);
    const second = await fetch(url(page), { headers: harness.bearer });
    assert.equal(second.headers.get('etag'), 'W/"made"');
    assert.deepEqual(await second.json(), first);
    assert.equal(first.submissions[0].projectName, 'Before');
    assert.equal(names, 1, 'the next page reads no name');
    projectName = 'After';
    await json(project, { method: 'PATCH', body: { projectName } });
    assert.equal((await json(page)).submissions[0].projectName, 'After', 'a new name shows at once');
    clips = [];
    const gone = await fetch(url(page), { headers: harness.bearer });
    assert.equal(gone.status, 404, 'a project that was erased meanwhile is missing, not empty');
    submissions!.listSubmissions = async () => {
      throw new DomainError('invalid', 'A wrong cursor.');
    };
    await json(project, { method: 'PATCH', body: { projectName } });
    const wrong = await fetch(url(page), { headers: harness.bearer });
    assert.equal(wrong.status, 400, 'a wrong cursor is reported before a missing project');
  } finally {
    Object.assign(projects!, before[0]);
    Object.assign(submissions!, before[1]);
  }
});

test('the owner filters the list like the dashboard, and reads one submission', async () => {
  const moments =
    'createdAfter=2026-03-02T10:00:00Z&createdBefore=2026-03-03T00:00:00Z&changedAfter=2026-03-02T12:00:00%2B01:00';
  await json(`${project}/submissions?q=best&tokenId=${OWNER_ID}&mediaStatus=failed&${moments}`);
  const { search, linkId, mediaStatus, createdAfter, createdBefore, changedAfter } = calls.listed as Record<
    string,
    unknown
  >;
  assert.deepEqual([search, linkId, mediaStatus], ['best', OWNER_ID, MediaStatus.MEDIA_STATUS_FAILED]);
  assert.deepEqual(createdAfter, new Date('2026-03-02T10:00:00Z'));
  assert.deepEqual(createdBefore, new Date('2026-03-03T00:00:00Z'));
  assert.deepEqual(changedAfter, new Date('2026-03-02T11:00:00Z'));
  assert.deepEqual(await json(`${project}/submissions/${SUBMISSION_ID}`), presented);
});

test('an unknown or misspelled filter is refused by name; exports of the dashboard ignore it', async () => {
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
  assert.equal((await fetch(`${here}/links?_=1`)).status, 200, 'a name that is not a filter of any list');
});

test('every owner route refuses unknown and repeated query names', async () => {
  const one = `${project}/submissions/${SUBMISSION_ID}`;
  const routes: [method: string, path: string, query: string, sentence: RegExp, code?: string][] = [
    ['GET', '/me', 'verbose=1', /^verbose is not a parameter that this route takes: leave it out\.$/],
    ['GET', '/projects', 'page=2', /^page is not a parameter/],
    ['GET', project, 'expand=links', /^expand is not/],
    ['GET', `${project}/links`, 'limit=1&_=1', /^_ is not a parameter/],
    ['GET', `${project}/links`, 'State=sent', /^Write state: /],
    ['GET', `${project}/links.csv`, 'limit=1', /^limit is not a parameter/],
    ['GET', `${project}/shared-link/qr.png`, 'size=300', /^size is not/],
    ['GET', `${project}/submissions`, 'sort=createdAt&order=asc', /^sort is not .*; order is not/],
    ['GET', `${project}/submissions`, 'limit=1&limit=2', /^limit is given 2 times: give it once/, 'value_invalid'],
    ['GET', `${project}/submissions`, 'q=a&q=b', /^q is given 2 times/, 'value_invalid'],
    ['GET', `${project}/submissions`, 'page=1&page=2', /^page is not a parameter/],
    ['GET', `${project}/submissions`, 'limit%5B%5D=1', /^"limit\[\]" is not a parameter/],
    ['GET', one, 'fields=note', /^fields is not/],
    ['GET', `${one}/transcript.txt`, 'download=1', /^download is not/],
    ['GET', `${one}/video`, 'quality=low', /^quality is not/],
    ['HEAD', `${one}/video`, 'quality=low', /^$/],
    ['GET', `${project}/export.json`, 'bom=1', /^bom is not/],
    ['GET', `${project}/export.csv`, 'bom=yes', /^bom must be 1 or 0\.$/, 'value_invalid'],
    ['GET', `${project}/webhook-deliveries`, 'state=failed', /^state is not/],
    ['POST', '/projects', 'dryRun=true', /^dryRun is not/],
    ['PATCH', project, 'dryRun=true', /^dryRun is not/],
    ['POST', `${project}/webhook-test`, 'type=x', /^type is not/],
  ];
  for (const [method, path, query, sentence, code = 'filter_unknown'] of routes) {
    const json = method === 'POST' || method === 'PATCH' ? { 'content-type': 'application/json' } : undefined;
    const body = json && JSON.stringify(path.endsWith('/projects') ? { projectName: 'x', count: 1 } : {});
    const answer = await fetch(url(`${path}?${query}`), {
      ...(body && { body }),
      method,
      headers: { ...harness.bearer, ...json },
    });
    const about = `${method} ${path}?${query}`;
    assert.deepEqual([answer.status, answer.headers.get('error-code')], [400, code], about);
    if (method !== 'HEAD') assert.match(((await answer.json()) as { error: string }).error, sentence, about);
  }
});
