import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClaimedDelivery } from '../domain/delivery.ts';
import type { Released } from '../store/deliveries.ts';
import { type DeliverDeps, deliver } from './deliver.ts';

test('no attempt begins once an erasure has answered, which it did while what was kept was made due', async () => {
  let isErased = false;
  let sent = 0;
  const released: string[] = [];
  const deps = {
    config: { headerPrefix: 'service', slowAnswerMs: 1_000 },
    log: { info() {}, warn() {} },
    clock: { now: () => new Date() },
    targets: { of: async () => ({ url: 'https://owner.example/', secrets: [], version: 2 }) },
    sender: {
      async send() {
        sent += 1;
        return { status: 204 };
      },
    },
    store: {
      ledger: { isErased: async () => isErased },
      endpoints: {
        observe: async () => ({ endpoint: { projectId: 'p', targetVersion: 2, state: 'active' }, renewed: true }),
        async resumed() {},
      },
      queue: {
        async resume() {
          isErased = true;
          return 1;
        },
        async succeeded() {},
        async putBack(_: ClaimedDelivery, { state }: Released) {
          released.push(state);
        },
      },
    },
  } as unknown as DeliverDeps;
  const delivery: ClaimedDelivery = {
    ...{ id: 'e', projectId: 'p', submissionId: 's', eventType: 'submission.completed', createdAt: new Date() },
    ...{ body: Buffer.from('{}'), traceparent: '', tracestate: '' },
    ...{ lease: 'l', step: 0, forced: false, attemptCount: 0 },
  };
  const result = await deliver(deps, delivery, new AbortController().signal);
  assert.equal(sent, 0);
  assert.deepEqual(released, ['erased']);
  assert.equal(result.resumed, true, 'the others are looked for');
});
