import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { mintToken } from '@recording-request/contract/tokens';
import type { ChangeReviewRequest, Review } from '@recording-request/proto/submissions/v1/submissions';
import { OWNER_ID, PROJECT_ID, SUBMISSION_ID, startTestGateway } from './test-service.ts';

const harness = await startTestGateway();
after(() => harness[Symbol.asyncDispose]());

const NOTE = '019a0000-0000-7000-8000-00000000000a';
const createdAt = new Date('2026-01-02T03:04:05.006Z');
const review: Review = { rating: 4, notes: [{ noteId: NOTE, atSec: 1.5, text: 'Begin here', createdAt }] };
const shown = {
  ...{ submissionId: SUBMISSION_ID, rating: 4 },
  notes: [{ id: NOTE, atSec: 1.5, text: 'Begin here', author: null, createdAt: createdAt.toISOString() }],
};
let changes: ChangeReviewRequest[];
beforeEach(() => {
  changes = [];
  harness.behind.projects = { resolveDashboardToken: async () => ({ ownerId: OWNER_ID, projectId: PROJECT_ID }) };
  harness.behind.submissions = {
    getReview: async () => ({ review }),
    async changeReview(request) {
      changes.push(request);
      return { review };
    },
  };
});

const clip = `${harness.base}/api/projects/${PROJECT_ID}/submissions/${SUBMISSION_ID}`;
const send = (method: string, path: string, body?: unknown) =>
  fetch(`${clip}/${path}`, {
    method,
    headers: { ...harness.bearer, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

test('an owner rates a clip, and writes and removes notes', async () => {
  const answers = [
    await send('GET', 'review'),
    await send('PUT', 'review', { rating: 4 }),
    await send('PUT', 'review', { rating: null }),
    await send('POST', 'notes', { id: NOTE, atSec: 1.5, text: 'Begin here' }),
    await send('POST', 'notes', { atSec: 0, text: 'x' }),
    await send('DELETE', `notes/${NOTE}`),
    await fetch(`${harness.base}/project/${mintToken('prj')}/submissions/${SUBMISSION_ID}/review`),
  ];
  for (const answer of answers) {
    assert.equal(answer.status, 200, answer.url);
    assert.deepEqual(await answer.json(), shown);
  }
  const wanted = changes.map(({ change }) => change!);
  assert.deepEqual(wanted.slice(0, 3), [
    { $case: 'rating', value: 4 },
    { $case: 'rating', value: 0 },
    { $case: 'note', value: { noteId: NOTE, atSec: 1.5, text: 'Begin here', createdAt: undefined } },
  ]);
  assert.match(
    (wanted[3] as { value: { noteId: string } }).value.noteId,
    /^[0-9a-f-]{36}$/,
    'the gateway chooses an id',
  );
  assert.deepEqual(wanted[4], { $case: 'removedNoteId', value: NOTE });
});

test('wrong values are 400 and name the field, and the dashboard token writes nothing', async () => {
  const wrong: [method: string, path: string, body: unknown, sentence: RegExp][] = [
    ['PUT', 'review', {}, /^rating is required/],
    ['PUT', 'review', { rating: 6 }, /^rating must be a whole number from 1 to 5, or null/],
    ['PUT', 'review', { rating: 0 }, /^rating must/],
    ['PUT', 'review', { rating: '5' }, /^rating must/],
    ['PUT', 'review', { rating: 5, selected: true }, /selected/],
    ['POST', 'notes', { atSec: -1, text: 'x' }, /^atSec must be a number from 0 to 86400/],
    ['POST', 'notes', { atSec: 1, text: '' }, /^text must have 1 to 2000 characters/],
    ['POST', 'notes', { atSec: 1, text: 'x'.repeat(2_001) }, /^text must/],
    ['POST', 'notes', { id: 'x', atSec: 1, text: 'x' }, /^id must be a UUID/],
    ['DELETE', 'notes/x', undefined, /^noteId must be a UUID/],
  ];
  for (const [method, path, body, sentence] of wrong) {
    const answer = await send(method, path, body);
    assert.equal(answer.status, 400, `${method} ${path} ${JSON.stringify(body)?.slice(0, 50)}`);
    assert.match(((await answer.json()) as { error: string }).error, sentence);
  }
  const dashboard = `${harness.base}/project/${mintToken('prj')}/submissions/${SUBMISSION_ID}`;
  for (const [method, path] of [
    ['PUT', 'review'],
    ['POST', 'notes'],
  ] as const)
    assert.ok([404, 405].includes((await fetch(`${dashboard}/${path}`, { method })).status));
  assert.equal(changes.length, 0);
});
