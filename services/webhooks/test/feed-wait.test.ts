import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { uuidv7 } from '@recording-request/kit/ids';
import { until } from '@recording-request/testing/wait';
import { WAITS_OF_OWNER } from '../src/delivery/feed-waits.ts';
import { asking, feedOf, readOn } from './feed-helpers.ts';
import { completed, startTestWebhooks, submission, type TestWebhooks } from './test-service.ts';

let harness: TestWebhooks;
before(async () => {
  harness = await startTestWebhooks();
});
after(() => harness?.[Symbol.asyncDispose]());

function project(): { ownerId: string; projectId: string } {
  const [ownerId, projectId] = [uuidv7(), uuidv7()];
  harness.setTarget(projectId, '', [], [], ownerId);
  return { ownerId, projectId };
}
const waiting = (ownerId: string, waitSeconds: number, options: { signal?: AbortSignal } = {}) =>
  harness.webhooks.listEvents(asking(ownerId, { waitSeconds }), { deadlineMs: 60_000, ...options });

test('a request waits for the next event, and not for one of another owner', async () => {
  const [one, other] = [project(), project()];
  const [early, late] = [waiting(one.ownerId, 25), waiting(other.ownerId, 25)];
  let isEarlyDone = false;
  early.then(() => {
    isEarlyDone = true;
  });
  await harness.kafka.publish(completed(submission(other.projectId)));
  const page = await late;
  assert.deepEqual([page.events.length, page.caughtUp], [1, true]);
  assert.equal(isEarlyDone, false);
  await harness.kafka.publish(completed(submission(one.projectId)));
  assert.equal((await early).events[0]!.projectId, one.projectId);
});

test('without an event the page is empty, with a cursor that continues', async () => {
  const { ownerId, projectId } = project();
  const begunAt = performance.now();
  const page = await waiting(ownerId, 2);
  assert.ok(performance.now() - begunAt > 1_900);
  assert.deepEqual([page.events, page.caughtUp], [[], true]);
  await harness.kafka.publish(completed(submission(projectId)));
  await feedOf(harness, ownerId, 1);
  assert.equal((await readOn(harness.webhooks, ownerId, { after: page.nextCursor })).events.length, 1);
});

test('an owner has ten places to wait, which a client that goes away gives back', async () => {
  const { ownerId } = project();
  const leaving = new AbortController();
  const refused: { code?: string; retryAfterSec?: number }[] = [];
  const calls = Array.from({ length: WAITS_OF_OWNER + 2 }, () =>
    waiting(ownerId, 25, { signal: leaving.signal }).catch(error => refused.push(error)),
  );
  await until('the places are taken', () => refused.length === 2);
  for (const { code, retryAfterSec = 0 } of refused) assert.ok(code === 'too_many' && retryAfterSec > 0);
  assert.equal((await waiting(project().ownerId, 1)).caughtUp, true, 'another owner has its own places');
  assert.equal((await readOn(harness.webhooks, ownerId)).events.length, 0, 'a request that does not wait needs none');
  leaving.abort();
  await Promise.all(calls);
  await until('the places are free', () =>
    waiting(ownerId, 1).then(
      () => true,
      () => false,
    ),
  );
});

test('a stop ends the waiting requests at once with an empty page', async () => {
  const { ownerId } = project();
  const page = waiting(ownerId, 25);
  await until('the request waits', async () => {
    // The service does not show that a request waits. But when a later request has waited for a second, the first one
    // must wait too.
    await waiting(ownerId, 1);
    return true;
  });
  const begunAt = performance.now();
  await harness.service.stop();
  const { events, nextCursor } = await page;
  assert.ok(performance.now() - begunAt < 15_000);
  assert.deepEqual(events, []);
  assert.notEqual(nextCursor, '');
});
