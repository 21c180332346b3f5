import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { ListSubmissionsRequest } from '@recording-request/proto/submissions/v1/submissions';
import { testEnvironment } from '@recording-request/testing/environment';
import { testStores } from '@recording-request/testing/test-stores';
import { createConcurrencyLimiter } from '../src/domain/concurrency-limiter.ts';
import { listSubmissions } from '../src/rpc/list-submissions.ts';
import { type Models, openModels } from '../src/store/models.ts';
import { createSubmissionStore, type SubmissionStore } from '../src/store/submissions.ts';

const OWNER = randomUUID();
const PROJECT = randomUUID();

const stores = testStores(testEnvironment());
let models: Models;
let store: SubmissionStore;

const row = (index: number, fields: object = {}) => ({
  _id: `01900000-0000-7000-8000-${String(index).padStart(12, '0')}`,
  projectId: PROJECT,
  ownerId: OWNER,
  linkId: 'link',
  responseId: `response ${index}`,
  questionIndex: 0,
  selected: false,
  transcriptStatus: 'completed',
  mediaStatus: 'ready',
  revision: 1,
  outbox: [],
  ...fields,
});

before(async () => {
  models = await openModels(await stores.database('submissions'));
  store = createSubmissionStore(models);
  const rows = [
    row(1, { transcriptText: 'Grüße aus dem Café, 3+4 is 7.', video: { size: 100 }, source: { size: 7 } }),
    row(2, { note: 'a [b] (c) \\d $where', source: { size: 20 }, selected: true }),
    row(3, { reviewNote: 'front page', questionText: 'What is new?', video: { size: 3 } }),
    row(4, { transcriptText: 'front page', projectId: randomUUID() }),
    row(5, { transcriptText: 'front page', ownerId: randomUUID() }),
    // Enough for the planner to care.
    ...Array.from({ length: 300 }, (_, index) => row(100 + index, { linkId: `other ${index}` })),
  ];
  await models.submissions.collection.insertMany(rows as never);
});
after(() => stores[Symbol.asyncDispose]());

const found = async (...words: string[]): Promise<number[]> =>
  (await store.page(OWNER, PROJECT, { words }, 10)).map(({ id }) => Number(id.slice(-12)));

test('every word is found as it is written, in any letter case, in what was said, noted or asked', async () => {
  assert.deepEqual(await found('GRÜSSE'), [], 'letters are folded, not spelled in another way');
  assert.deepEqual(await found('GRÜß', 'café'), [1]);
  assert.deepEqual(await found('3+4'), [1]);
  assert.deepEqual(await found('[b]', '(C)', '\\d', '$WHERE'), [2]);
  assert.deepEqual(await found('page', 'new?'), [3], 'each word may stand in another text');
  for (const pattern of ['.*', '^f', 'e$', '[a-z]', 'fr.nt', '\\w', '(', 'x|front']) {
    assert.deepEqual(await found(pattern), pattern === '(' ? [2] : [], pattern);
  }
  assert.deepEqual(await found('front'), [3], 'of this owner and this project alone');
});

test('searches beyond the limit of a project or of the process are refused, to be tried again', async () => {
  const ends: (() => void)[] = [];
  const slow = { page: () => new Promise<never[]>(resolve => ends.push(() => resolve([]))) };
  const list = listSubmissions({ submissions: slow, searches: createConcurrencyLimiter({ all: 3, perKey: 2 }) });
  const ask = (projectId: string, search: string) =>
    list(ListSubmissionsRequest.fromPartial({ ownerId: OWNER, projectId, search, pageSize: 10 }));
  const refused = (projectId: string) =>
    assert.rejects(ask(projectId, 'word'), { code: 'unavailable', retryAfterSec: 2, message: /Too many searches/ });
  const going = [ask('a', 'word'), ask('a', 'word')];
  await refused('a');
  going.push(ask('b', 'word'));
  await refused('b');
  going.push(ask('a', ' '));
  assert.equal(ends.length, 4, 'a list without words is no search');
  for (const end of ends.splice(0)) end();
  await Promise.all(going);
  const again = [ask('a', 'word'), ask('a', 'word'), ask('b', 'word')];
  for (const end of ends) end();
  await Promise.all(again);
});

test('the sizes are those that a download has, and are read from an index alone', async () => {
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

test('the answers of a response are found by the index that makes them unique', async () => {
  const filter = { linkId: 'link', responseId: 'response 3' };
  assert.equal((await store.page(OWNER, PROJECT, filter, 10)).length, 1);
  const explained = JSON.stringify(
    await models.submissions
      .find({ projectId: PROJECT, ownerId: OWNER, ...filter })
      .sort({ _id: -1 })
      .explain('executionStats'),
  );
  assert.match(explained, /"totalDocsExamined":1[,}]/);
});
