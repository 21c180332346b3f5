import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { etagOfText } from '@recording-request/contract/etag';
import { presentSubmission } from '@recording-request/contract/present';
import type { SubmissionsPageJson } from '@recording-request/contract/resources/submission';
import { MESSAGE_BYTES } from '@recording-request/kit-rpc/grpc-server';
import type { GetInvitationsRequest } from '@recording-request/proto/projects/v1/projects';
import { ListSubmissionsRequest, ListSubmissionsResponse } from '@recording-request/proto/submissions/v1/submissions';
import { testEnvironment } from '@recording-request/testing/environment';
import { testStores } from '@recording-request/testing/test-stores';
import { until } from '@recording-request/testing/wait';
import { migrate } from '../src/migrate.ts';
import { createErasureStore } from '../src/store/erasures.ts';
import { type Models, openModels } from '../src/store/models.ts';
import { createNoteStore } from '../src/store/notes.ts';
import { createSubmissionStore, type SubmissionStore } from '../src/store/submissions.ts';
import { createUploadStore } from '../src/store/uploads.ts';
import { listing } from './listing.ts';
import { row as clipRow, OWNER } from './project-of-clips.ts';

const PROJECT = randomUUID();

const environment = testEnvironment();
const stores = testStores(environment);
let models: Models;
let store: SubmissionStore;

const row = (index: number, fields: object = {}) => clipRow(index, { projectId: PROJECT, ...fields });

before(async () => {
  await migrate(environment.env, () => {});
  models = openModels(await stores.database('submissions'));
  store = createSubmissionStore(models);
  const rows = [
    row(1, { transcriptText: 'Grüße aus dem Café, 3+4 is 7.', video: { size: 100 }, source: { size: 7 } }),
    row(2, { note: 'a [b] (c) \\d $where', source: { size: 20 }, selected: true }),
    row(3, { reviewNote: 'front page', questionText: 'What is new?', video: { size: 3 } }),
    row(4, { transcriptText: 'front page', projectId: randomUUID() }),
    row(5, { transcriptText: 'front page', ownerId: randomUUID() }),
    // Enough rows for the query planner to use an index.
    ...Array.from({ length: 300 }, (_, index) => row(100 + index, { linkId: `other ${index}` })),
  ];
  await models.submissions.collection.insertMany(rows as never);
});
after(() => stores[Symbol.asyncDispose]());

const found = async (...words: string[]): Promise<number[]> =>
  (await store.page(OWNER, PROJECT, { words }, 10)).submissions.map(({ id }) => Number(id.slice(-12)));

test('a search finds every word in any letter case, in transcripts, notes and questions', async () => {
  assert.deepEqual(await found('GRÜSSE'), [1], 'capitals of ß');
  assert.deepEqual(await found('GRÜß', 'café'), [1]);
  assert.deepEqual(await found('3+4'), [1]);
  assert.deepEqual(await found('[b]', '(C)', '\\d', '$WHERE'), [2]);
  assert.deepEqual(await found('page', 'new?'), [3], 'the words may be in different texts');
  for (const pattern of ['.*', '^f', 'e$', '[a-z]', 'fr.nt', '\\w', '(', 'x|front']) {
    assert.deepEqual(await found(pattern), pattern === '(' ? [2] : [], pattern);
  }
  assert.deepEqual(await found('front'), [3], 'only clips of this owner and this project');
});

test('a search finds a word in either normal form, and when its capitals have another number of letters', async () => {
  const projectId = randomUUID();
  const texts = [
    'Gru\u0308\u00dfe vom Maßstab',
    'GRÜSSE',
    'Größe',
    'Straße in İstanbul',
    'ΟΔΟΣ',
    'ﬁne ŉ café',
    'cafe\u0301',
  ];
  const rows = texts.map((note, index) => clipRow(20_000 + index, { projectId, note }));
  await models.submissions.collection.insertMany(rows as never);
  const foundHere = async (...words: string[]) =>
    (await store.page(OWNER, projectId, { words }, 10)).submissions.map(({ note }) => texts.indexOf(note!)).sort();
  for (const [word, where] of [
    ['GRÜSSE', [0, 1]],
    ['grüße', [0, 1]],
    ['GRÜẞE', [0, 1]],
    ['gru\u0308sse', [0, 1]],
    ['MASSSTAB', [0]],
    ['größe', [2]],
    ['STRASSE', [3]],
    ['istanbul', [3]],
    ['οδος', [4]],
    ['FINE', [5]],
    ['CAFÉ', [5, 6]],
    ['CAFE\u0301', [5, 6]],
    ['grüsste', []],
  ] as const)
    assert.deepEqual(await foundHere(word), where, word);
});

test('searches beyond an owner’s share, in any of its projects, are refused with Retry-After', async () => {
  const ends: (() => void)[] = [];
  const none = { submissions: [], more: false };
  const slow = {
    stampOf: async () => undefined,
    page: () => new Promise<typeof none>(resolve => ends.push(() => resolve(none))),
  };
  const list = listing(slow, 4);
  const ask = (ownerId: string, projectId: string, search = 'word') =>
    list(ListSubmissionsRequest.fromPartial({ ownerId, projectId, search, pageSize: 10 }));
  const refused = (ownerId: string, projectId: string) =>
    assert.rejects(ask(ownerId, projectId), { code: 'unavailable', retryAfterSec: 2, message: /Too many searches/ });
  const going = [ask('owner', 'a'), ask('owner', 'b')];
  await refused('owner', 'c');
  going.push(ask('another', 'd'));
  await refused('another', 'd');
  going.push(ask('owner', 'a', ' '));
  await until('all four searches run', () => ends.length === 4);
  for (const end of ends.splice(0)) end();
  await Promise.all(going);
  const again = [ask('owner', 'a'), ask('owner', 'a'), ask('another', 'd')];
  await until('the next three searches run', () => ends.length === 3);
  for (const end of ends) end();
  await Promise.all(again);
});

test('the sizes are those of a download, and come from an index alone', async () => {
  assert.deepEqual(await store.measure(OWNER, PROJECT), { bytes: 123, selectedBytes: 20 });
  const aggregate = models.submissions.aggregate([
    { $match: { projectId: PROJECT, ownerId: OWNER } },
    { $project: { _id: 0, selected: 1, 'video.size': 1, 'source.size': 1 } },
    { $group: { _id: null, bytes: { $sum: '$video.size' } } },
  ]);
  const explained = JSON.stringify(await aggregate.explain('executionStats'));
  assert.match(explained, /"indexName":"video_sizes"/);
  assert.match(explained, /"totalDocsExamined":0/);
});

test('a process whose clock is days off erases, purges and deletes nothing early', async t => {
  const hourMs = 3_600_000;
  const dayMs = 24 * hourMs;
  const [erasures, uploads, notes] = [createErasureStore(models), createUploadStore(models), createNoteStore(models)];
  const projectId = randomUUID();
  const startedAt = Date.now();
  const young = row(9_000, { projectId, createdAt: new Date(startedAt - hourMs) });
  await models.submissions.collection.insertMany([young, row(9_001, { projectId })] as never);
  const upload = { _id: randomUUID(), projectId, linkId: 'link', responseId: 'ended', state: 'deleted' };
  await models.uploads.collection.insertOne({ ...upload, lastByteAt: new Date(startedAt) } as never);
  await erasures.closeProject(projectId, hourMs);
  assert.ok(await erasures.bury({ id: row(9_001)._id, projectId }, hourMs));
  t.mock.timers.enable({ apis: ['Date'], now: startedAt + 60 * dayMs });
  assert.deepEqual(await erasures.olderThan(dayMs, 10), [], 'no clip is past its age');
  assert.deepEqual(await erasures.olderThanIn({ projectId, ownerId: OWNER }, dayMs, 10), [], 'nor in a project');
  assert.equal(await erasures.takeDue(hourMs), undefined, 'no tombstone is due');
  assert.equal(await erasures.takeDueProject(hourMs), undefined, 'no project is due');
  assert.deepEqual(await uploads.idle('deleted', dayMs, 10), [], 'no upload is due');
  t.mock.timers.setTime(startedAt - 60 * dayMs);
  const key = { projectId, linkId: 'link', responseId: 'late', questionIndex: 0 };
  assert.ok(await notes.set(key, 'a note'));
  await erasures.emptyUploads({ projectId }, 10);
  await erasures.closeProject(`${projectId} too`, hourMs);
  t.mock.timers.reset();
  const times = [
    (await models.notes.findOne({ projectId }))?.at,
    (await models.uploads.findOne({ projectId }))?.lastByteAt,
    (await erasures.findProject(`${projectId} too`))?.at,
  ];
  for (const time of times) assert.ok(time!.getTime() > startedAt - hourMs, `the database's time, not ${time}`);
});

test('a list of very long transcripts has pages that fit into a message', async () => {
  const projectId = randomUUID();
  // This character takes six bytes in JSON.
  const transcriptText = '\u0001'.repeat(900_000);
  const rows = Array.from({ length: 40 }, (_, index) =>
    row(10_000 + index, { projectId, transcriptText, thumbnails: [], createdAt: new Date(0) }),
  );
  await models.submissions.collection.insertMany(rows as never);
  const list = listing(store, 1);
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = await list(ListSubmissionsRequest.fromPartial({ ownerId: OWNER, projectId, pageSize: 100, cursor }));
    const presentation = { baseUrl: 'https://rec.example', projectName: 'Stories' };
    const asJson = await list(
      ListSubmissionsRequest.fromPartial({ ownerId: OWNER, projectId, pageSize: 100, cursor, presentation }),
    );
    for (const form of [page, asJson]) {
      const { length } = ListSubmissionsResponse.encode(form).finish();
      assert.ok(length < MESSAGE_BYTES, `a page fits in a message: it has ${length} of ${MESSAGE_BYTES} bytes`);
    }
    assert.notEqual(page.submissions.length, 0, 'every page has clips');
    assert.equal(asJson.pageJson !== undefined, page.nextCursor === '', 'only a whole page is sent as JSON');
    seen.push(...page.submissions.map(({ submissionId }) => submissionId));
    cursor = page.nextCursor;
  } while (cursor !== '');
  assert.deepEqual(seen, rows.map(({ _id }) => _id).reverse(), 'each clip once, newest first');
});

test('a page is returned as the contract’s JSON on request; an empty one is not', async () => {
  const projectId = randomUUID();
  const rows = Array.from({ length: 3 }, (_, index) =>
    row(70_000 + index, {
      projectId,
      transcriptText: `“${index}” \u2028 \0`,
      thumbnails: [],
      createdAt: new Date(index),
    }),
  );
  await models.submissions.collection.insertMany(rows as never);
  const list = listing(store, 1);
  const ask = (more: object) =>
    list(ListSubmissionsRequest.fromPartial({ ownerId: OWNER, projectId, pageSize: 2, ...more }));
  const presentation = { baseUrl: 'https://rec.example', projectName: 'Stories' };
  const messages = await ask({});
  const made = await ask({ presentation });
  assert.deepEqual(made.submissions, []);
  assert.equal(made.nextCursor, messages.nextCursor);
  const submissions = messages.submissions.map(each => presentSubmission(each, presentation));
  const shown = { projectId, submissions, pagination: { nextCursor: messages.nextCursor } };
  assert.equal(made.pageJson!.toString(), JSON.stringify(shown));
  assert.equal(made.pageEtag, etagOfText(JSON.stringify(shown)));
  const none = await ask({ presentation, filter: { selected: true } });
  assert.deepEqual(none, { submissions: [], nextCursor: '' });
});

test('a page shows people, asks once for each link, and is read again after TouchLink', async () => {
  const projectId = randomUUID();
  const [first, second] = ['link 1', 'link 2'];
  const rows = [first, first, second].map((linkId, index) =>
    row(80_000 + index, { projectId, linkId, link: { position: 1 }, thumbnails: [], createdAt: new Date(index) }),
  );
  await models.submissions.collection.insertMany(rows as never);
  const asked: string[][] = [];
  let name = 'A guest';
  const projects = {
    async getInvitations({ origins }: GetInvitationsRequest) {
      asked.push(origins.map(({ linkId }) => linkId));
      const person = { name, reference: '', email: '', locale: '', verified: true };
      return { invitations: origins.map(() => ({ person, metadata: {} })) };
    },
  };
  const list = listing(store, 1, projects);
  const ask = async (hasInvitations: boolean) => {
    const presentation = { baseUrl: 'https://rec.example', projectName: 'Stories', hasInvitations };
    const page = await list(
      ListSubmissionsRequest.fromPartial({ ownerId: OWNER, projectId, pageSize: 3, presentation }),
    );
    const { submissions } = JSON.parse(page.pageJson!.toString()) as SubmissionsPageJson;
    return { etag: page.pageEtag, names: submissions.map(({ recipient }) => recipient?.name) };
  };
  const { etag, names } = await ask(true);
  assert.deepEqual(names, ['A guest', 'A guest', 'A guest']);
  assert.deepEqual(asked, [[second, first]], 'each link once');
  assert.deepEqual((await ask(false)).names, [undefined, undefined, undefined]);
  assert.deepEqual((await ask(true)).names, names, 'the page without people has its own place in the cache');
  assert.equal(asked.length, 1, 'the page is cached');
  name = 'Another guest';
  assert.equal((await ask(true)).etag, etag, 'before TouchLink');
  assert.equal(await store.touch(OWNER, projectId, second), 1);
  const touched = await ask(true);
  assert.deepEqual(touched.names, Array(3).fill(name));
  assert.notEqual(touched.etag, etag);
});

test('a list can omit the texts of transcripts, and nothing else', async () => {
  const projectId = randomUUID();
  const texts = { transcriptText: 'words', transcriptVtt: 'WEBVTT', transcriptStatus: 'completed', note: 'a note' };
  await models.submissions.collection.insertOne(row(90_000, { projectId, thumbnails: [], ...texts }) as never);
  const list = listing(store, 1);
  const ask = async (omitTranscripts?: boolean) =>
    (await list(ListSubmissionsRequest.fromPartial({ ownerId: OWNER, projectId, pageSize: 3, omitTranscripts })))
      .submissions[0]!;
  const whole = await ask();
  assert.equal(whole.transcriptText, 'words');
  assert.deepEqual(await ask(true), { ...whole, transcriptText: undefined, transcriptVtt: undefined });
});
