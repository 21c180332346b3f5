import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mintToken } from '@recording-request/contract/tokens';
import type { ExportRequest, OpenArchiveRequest } from '@recording-request/proto/exports/v1/exports';
import type { FindInvitationsRequest, GetInvitationsRequest } from '@recording-request/proto/projects/v1/projects';
import type { ListSubmissionsRequest } from '@recording-request/proto/submissions/v1/submissions';
import { projectSettings } from '@recording-request/testing/project-settings';
import { at, link, presented, project, startOwnerGateway } from './owner-gateway.ts';
import { asProject, OWNER_ID, PROJECT_ID, SUBMISSION_ID } from './test-service.ts';

const PERSON = { name: 'A guest', reference: 'P-17', email: '', locale: 'de', verified: true };
const recipient = { ...PERSON, email: null };
const metadata = { city: 'Oslo' };
const shown = { ...presented, recipient, metadata, late: true };
const one = `${project}/submissions/${SUBMISSION_ID}`;

let gateway: Awaited<ReturnType<typeof startOwnerGateway>>;
let hasInvitations = true;
let asked: GetInvitationsRequest[] = [];
let sought: FindInvitationsRequest[] = [];

before(async () => {
  gateway = await startOwnerGateway();
  Object.assign(gateway.harness.behind.projects!, {
    getProject: async () => ({ projectName: 'Stories', project: asProject(), hasInvitations }),
    async getInvitations(request: GetInvitationsRequest) {
      asked.push(request);
      const dueAt = new Date(at.getTime() - 1);
      return { invitations: request.origins.map(() => ({ person: PERSON, metadata, dueAt })) };
    },
    async findInvitations(request: FindInvitationsRequest) {
      sought.push(request);
      const origins = request.reference === 'P-17' ? [{ linkId: OWNER_ID, responseSessionId: '' }] : [];
      return { origins };
    },
    findCompletion: async ({ code }: { code: string }) =>
      code === '7K3F9QXA' ? { origin: { linkId: OWNER_ID, responseSessionId: SUBMISSION_ID } } : {},
  });
});
after(() => gateway.harness[Symbol.asyncDispose]());

const read = async (path: string) => {
  asked = [];
  sought = [];
  return gateway.json(path);
};
const listed = () => gateway.calls.listed as ListSubmissionsRequest;
/** Makes the gateway look the project up again. */
const forget = () => gateway.json(project, { method: 'PATCH', body: { projectName: 'Stories' } });

test('every answer with a clip shows its person, with one call for a page', async () => {
  assert.deepEqual((await read(`${project}/submissions`)).submissions, [shown]);
  assert.deepEqual(asked, [{ projectId: PROJECT_ID, origins: [{ linkId: OWNER_ID, responseSessionId: OWNER_ID }] }]);
  assert.equal(listed().presentation?.hasInvitations, true);
  assert.deepEqual(await read(one), shown);
  assert.deepEqual(await gateway.json(one, { method: 'PATCH', body: { selected: true } }), shown);
  assert.deepEqual(await gateway.json(`${one}/transcript`, { method: 'POST' }), shown);
  const here = `${gateway.harness.base}/project/${mintToken('prj')}`;
  const dashboard = async (path: string) => (await fetch(`${here}/${path}`)).json() as Promise<Record<string, unknown>>;
  assert.deepEqual((await dashboard('submissions')).submissions, [shown]);
  assert.deepEqual(await dashboard(`submissions/${SUBMISSION_ID}`), shown);
  const page = await (await fetch(here, { headers: { accept: 'text/html' } })).text();
  assert.match(page, /<p class="recipient" dir="auto">A guest<\/p>/);
});

test('a project without people costs no call, also with a reference', async () => {
  hasInvitations = false;
  await forget();
  assert.deepEqual((await read(`${project}/submissions`)).submissions, [presented]);
  assert.deepEqual(await read(one), presented);
  await read(`${project}/submissions?reference=P-17`);
  assert.deepEqual([asked, sought], [[], []]);
  assert.deepEqual(listed().origins, { origins: [] });
  hasInvitations = true;
  await forget();
});

const ADDED = { created: 1, links: [link(1)], duplicates: [], replayed: false };
const FIRST_PERSON: [way: string, send: () => Promise<Response>, status: number][] = [
  ['a change of a link', () => send('PATCH', `/api${project}/links/${OWNER_ID}`, { recipient: PERSON_BODY }), 200],
  ['an added link', () => send('POST', `/api${project}/links`, { links: [PERSON_BODY] }), 200],
  ['the address of a shared link', () => send('POST', `/r/${mintToken('vr')}/responses`, { reference: 'P-17' }), 201],
];
const IDS = { linkId: OWNER_ID, projectId: PROJECT_ID, ownerId: OWNER_ID };
const BEGUN = {
  ...IDS,
  responseSessionId: OWNER_ID,
  settings: projectSettings(),
  answers: [],
  complete: false,
  held: true,
};
const PERSON_BODY = { reference: 'P-17' };

const send = (method: string, path: string, body: object) =>
  fetch(gateway.harness.base + path, {
    method,
    headers: { ...gateway.harness.bearer, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

for (const [way, invite, status] of FIRST_PERSON)
  test(`${way} shows the first person of a project at once`, async () => {
    Object.assign(gateway.harness.behind.projects!, {
      addLinks: async () => ADDED,
      resolveRecipient: async () => ({ ...IDS, linkType: 2, status: 1 }),
      beginResponse: async () => ({ response: BEGUN }),
    });
    Object.assign(gateway.harness.behind.submissions!, {
      touchLink: async () => ({}),
      listUploads: async () => ({ uploads: [] }),
    });
    hasInvitations = false;
    await forget();
    assert.deepEqual((await read(`${project}/submissions`)).submissions, [presented]);
    // This read of the project begins before the person is added, and ends afterwards.
    const { getProject } = gateway.harness.behind.projects!;
    const [reads, holds] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    gateway.harness.behind.projects!.getProject = async () => {
      reads.resolve();
      await holds.promise;
      return { projectName: 'Stories', project: asProject(), hasInvitations: false };
    };
    const dashboard = fetch(`${gateway.harness.base}/project/${mintToken('prj')}/submissions`);
    await reads.promise;
    gateway.harness.behind.projects!.getProject = getProject!;
    hasInvitations = true;
    assert.equal((await invite()).status, status);
    holds.resolve();
    await (await dashboard).body?.cancel();
    assert.deepEqual((await read(`${project}/submissions`)).submissions, [shown]);
  });

test('a reference selects the links and responses that have it', async () => {
  await read(`${project}/submissions?reference=P-17&omit=transcripts`);
  assert.deepEqual(sought, [{ ownerId: OWNER_ID, projectId: PROJECT_ID, reference: 'P-17' }]);
  assert.deepEqual(listed().origins, { origins: [{ linkId: OWNER_ID, responseSessionId: '' }] });
  assert.equal(listed().omitTranscripts, true);
  await read(`${project}/submissions?reference=nobody`);
  assert.deepEqual(listed().origins, { origins: [] });
  const dashboard = `${gateway.harness.base}/project/${mintToken('prj')}/submissions`;
  assert.equal((await fetch(`${dashboard}?reference=P-17`)).status, 200);
  assert.equal(listed().origins?.origins.length, 1);
});

test('a completion code selects the clips of its response, together with the other filters', async () => {
  const filtered = async (query: string) => {
    await read(`${project}/submissions?${query}`);
    return [listed().linkId, listed().responseSessionId];
  };
  const none = Array(2).fill('00000000-0000-0000-0000-000000000000');
  assert.deepEqual(await filtered('code=7K3F9QXA'), [OWNER_ID, SUBMISSION_ID]);
  assert.deepEqual(await filtered(`code=7K3F9QXA&tokenId=${OWNER_ID}`), [OWNER_ID, SUBMISSION_ID]);
  for (const query of [
    'code=00000000',
    `code=7K3F9QXA&tokenId=${PROJECT_ID}`,
    `code=7K3F9QXA&responseSessionId=${OWNER_ID}`,
  ])
    assert.deepEqual(await filtered(query), none);
  assert.deepEqual(await filtered('code=7K3F9QXA&reference=P-17'), [OWNER_ID, SUBMISSION_ID]);
  assert.equal(listed().origins?.origins.length, 1);
});

test('wrong values are refused, and no error repeats a reference', async () => {
  for (const query of ['reference=', `reference=${'x'.repeat(201)}`, 'reference=P%00secret', 'omit=secret']) {
    const answer = await fetch(gateway.url(`${project}/submissions?${query}`), { headers: gateway.harness.bearer });
    assert.equal(answer.status, 400, query);
    const { error } = (await answer.json()) as { error: string };
    if (query.startsWith('reference')) assert.doesNotMatch(error, /secret|xxx/, query);
  }
});

const EXPORTS: [path: string, query: string, status: number, expected: object][] = [
  ['export.json', 'identities=none', 200, { withoutPeople: true }],
  ['export.csv', 'identities=none&bom=1', 200, { withoutPeople: true }],
  ['export.csv', 'identities=all', 200, { withoutPeople: false }],
  ['export/transcripts.txt', 'identities=none', 200, { withoutPeople: true }],
  ['export/project.zip', 'identities=none', 304, { withoutPeople: true, referenceNames: false }],
  ['export/project.zip', 'names=reference', 304, { withoutPeople: false, referenceNames: true }],
  ['export/project.zip', '', 304, { withoutPeople: false, referenceNames: false }],
  ['export/project.zip', 'names=P-17', 400, {}],
  ['export.csv', 'names=reference', 400, {}],
  ['export.json', 'identities=some', 400, {}],
];
test('exports take identities, and project.zip names', async () => {
  let requested: Partial<ExportRequest & OpenArchiveRequest> = {};
  gateway.harness.behind.exports = {
    async *export(request) {
      requested = request;
      yield { chunk: Buffer.from('x') };
    },
    async openArchive(request) {
      requested = request;
      return { archiveId: 'archive', etag: '"zip"', size: 1, mayDiffer: false };
    },
  };
  for (const [path, query, status, expected] of EXPORTS) {
    requested = {};
    const headers = { ...gateway.harness.bearer, 'if-none-match': '"zip"' };
    const answer = await fetch(gateway.url(`${project}/${path}?${query}`), { headers });
    await answer.arrayBuffer();
    assert.equal(answer.status, status, `${path}?${query}`);
    const { withoutPeople, referenceNames } = requested;
    assert.deepEqual(JSON.parse(JSON.stringify({ withoutPeople, referenceNames })), expected, `${path}?${query}`);
  }
  const dashboard = `${gateway.harness.base}/project/${mintToken('prj')}/export.csv?identities=none&names=reference`;
  assert.equal((await fetch(dashboard)).status, 200, 'the dashboard’s exports ignore other names');
  assert.equal(requested.withoutPeople, undefined);
});
