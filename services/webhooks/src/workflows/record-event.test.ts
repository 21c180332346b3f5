import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newEvent } from '@recording-request/events/event';
import type { Context } from '../context.ts';
import type { NewDelivery } from '../domain/delivery.ts';
import { type Fact, recordEvent } from './record-event.ts';

const LEASE_MS = 30_000;
const erasedAt = new Date();
const fact: Fact = {
  ...{ type: 'submission.erased', projectId: 'p', submissionId: 's' },
  subject: () => ({ type: 'submission.erased', submissionId: 's', erasedAt }),
};
const event = newEvent('submission.erasure', {
  $case: 'submissionErasure',
  value: { projectId: 'p', submissionId: 's', erasedAt },
});

/** Records an event in a database whose inserts take `insertMs`. Returns how often this process sends the event. */
async function sentAfter(insertMs: number): Promise<number> {
  let now = 0;
  let sent = 0;
  let published = 0;
  const context = {
    config: { attemptTimeoutMs: LEASE_MS, leaseMarginMs: 0 },
    clock: { now: () => new Date(now) },
    secrets: { seal: () => 'k1.x' },
    kafka: {
      async publishRecords(records: object[]) {
        published += records.length;
        return [undefined];
      },
    },
    targets: {
      recent: async () => ({
        url: 'https://owner.example/',
        events: ['submission.erased'],
        projectName: 'P',
        ownerId: 'o',
      }),
    },
    store: {
      ledger: { look: async () => ({ isErased: false }) },
      queue: {
        async insertClaimed(delivery: NewDelivery) {
          now += insertMs;
          return delivery;
        },
      },
    },
    dispatcher: { reserve: () => ({ send: () => (sent += 1), [Symbol.dispose]() {} }) },
  } as unknown as Context;
  await recordEvent(context, event, fact);
  assert.equal(published, 1, 'the event is in the feed');
  return sent;
}

test('a delivery whose claim expired while it was recorded is not sent by this process: the next poll sends it', async () => {
  assert.equal(await sentAfter(LEASE_MS - 1), 1);
  assert.equal(await sentAfter(LEASE_MS), 0);
});
