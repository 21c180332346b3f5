import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListEventsRequest, ListEventsResponse } from '@recording-request/proto/webhooks/v1/webhooks';
import { until } from '@recording-request/testing/wait';
import { OWNER_ID, PROJECT_ID, SUBMISSION_ID, startTestGateway } from './test-service.ts';

const EMPTY: ListEventsResponse = { events: [], nextCursor: 'next', caughtUp: true, expired: false };
const event = {
  ...{ eventId: SUBMISSION_ID, type: 'submission.completed', createdAt: new Date(0), projectId: PROJECT_ID },
  ...{ submissionId: SUBMISSION_ID, tokenId: '', erased: false, data: '{"b":1,"a":[2]}' },
};

/** Starts a gateway whose calls of ListEvents end with `answer`. Returns it with the requests of these calls. */
async function startFeed(answer: (request: ListEventsRequest, signal: AbortSignal) => Promise<ListEventsResponse>) {
  const asked: ListEventsRequest[] = [];
  const harness = await startTestGateway({
    webhooks: {
      async listEvents(request, { signal }) {
        asked.push(request);
        return await answer(request, signal);
      },
    },
  });
  const read = (query: string) => fetch(`${harness.base}/api/events${query}`, { headers: harness.bearer });
  return { harness, asked, read, [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose]() };
}

/** Responds like the service to a waiting request: only when the caller disconnects. */
const forEver = (_: ListEventsRequest, signal: AbortSignal) =>
  new Promise<ListEventsResponse>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

test('passes the query on for the owner of the token, and presents the page', async () => {
  await using feed = await startFeed(async () => ({
    ...EMPTY,
    events: [event, { ...event, submissionId: '', tokenId: OWNER_ID, erased: true, data: '' }],
  }));
  const query = 'types=submission.completed,webhook.failing&limit=7&wait=0&since=2026-01-02T03:04:05Z';
  const shown = await (await feed.read(`?${query}&projectId=${PROJECT_ID}`)).json();
  const { data: _, ...head } = event;
  const common = { ...head, createdAt: '1970-01-01T00:00:00.000Z' };
  assert.deepEqual(shown, {
    events: [
      { ...common, tokenId: null, data: { b: 1, a: [2] } },
      { ...common, submissionId: null, tokenId: OWNER_ID, erased: true, data: null },
    ],
    ...{ nextCursor: 'next', caughtUp: true },
  });
  await feed.read('');
  assert.deepEqual(feed.asked, [
    {
      ...{ ownerId: OWNER_ID, after: '', since: new Date('2026-01-02T03:04:05Z'), projectId: PROJECT_ID },
      ...{ types: ['submission.completed', 'webhook.failing'], limit: 7, waitSeconds: 0 },
    },
    { ownerId: OWNER_ID, after: '', since: undefined, types: [], projectId: '', limit: 100, waitSeconds: 0 },
  ]);
});

test('an expired cursor is 410, with a cursor that continues', async () => {
  await using feed = await startFeed(async () => ({ ...EMPTY, caughtUp: false, expired: true }));
  const answer = await feed.read('?after=old');
  assert.equal(answer.status, 410);
  assert.deepEqual([answer.headers.get('error-code'), answer.headers.get('events-oldest')], ['cursor_expired', 'next']);
});

test('a client that goes away ends its wait', async () => {
  let isOver = false;
  await using feed = await startFeed((request, signal) => {
    signal.addEventListener('abort', () => {
      isOver = true;
    });
    return forEver(request, signal);
  });
  const leaving = new AbortController();
  const reading = fetch(`${feed.harness.base}/api/events?wait=25`, {
    ...{ headers: feed.harness.bearer, signal: leaving.signal },
  });
  await until('the request waits', () => feed.asked.length === 1);
  leaving.abort();
  await assert.rejects(reading);
  await until('the call is cancelled', () => isOver);
});

test('a stop ends the waiting requests with what there is', async () => {
  await using feed = await startFeed((request, signal) =>
    request.waitSeconds > 0 ? forEver(request, signal) : Promise.resolve(EMPTY),
  );
  const reading = feed.read('?wait=25');
  await until('the request waits', () => feed.asked.length === 1);
  await feed.harness.gateway.stop();
  const answer = await reading;
  assert.equal(answer.status, 200);
  assert.deepEqual(await answer.json(), { events: [], nextCursor: 'next', caughtUp: true });
  assert.equal(feed.asked.at(-1)!.waitSeconds, 0);
});
