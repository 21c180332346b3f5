import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createSecretBox } from '@recording-request/kit/secret-box';
import { startMeasured } from '@recording-request/testing/measured';
import type { Target } from '../adapters/targets.ts';
import type { ClaimedDelivery } from '../domain/delivery.ts';
import type { Endpoint } from '../domain/endpoint.ts';
import { sealedFor } from '../domain/sealing.ts';
import type { Released } from '../store/deliveries.ts';
import type { DeliverDeps } from './deliver.ts';

const measured = startMeasured();
after(() => measured[Symbol.asyncDispose]());
const { deliver } = await import('./deliver.ts');

const secrets = createSecretBox(`k1:${Buffer.alloc(32, 1).toString('base64')}`);
const LEASE_MS = 30_000;
const ATTEMPT_MS = 15_000;
const delivery: ClaimedDelivery = {
  ...{
    id: 'e',
    projectId: 'p',
    ownerId: 'o',
    submissionId: 's',
    eventType: 'submission.completed',
    createdAt: new Date(0),
  },
  ...{ sealedBody: secrets.seal('{}', sealedFor.delivery('e')), traceparent: '', tracestate: '' },
  ...{ lease: 'l', leaseUntil: new Date(LEASE_MS), step: 0, forced: false, attemptCount: 0 },
};
const targetOf = (version: number): Target => ({
  ...{
    projectName: 'P',
    url: `https://owner.example/${version}`,
    secrets: [],
    version,
    events: [],
    ownerId: 'o',
    hasInvitations: false,
    sandbox: false,
  },
});

/** Starts a process whose claim began at 0 ms and that reads the second version of the address. */
function startProcess() {
  const state = { nowMs: 0, isErased: false, renewed: false, status: 204, recent: 2, freeMs: 0, sentSinceMs: 0 };
  const sent: string[] = [];
  const failed: number[] = [];
  const released: string[] = [];
  const steps = { onResume() {}, onErasureLook() {} };
  const endpoint: Endpoint = { projectId: 'p', targetVersion: 2, state: 'active' };
  const deps = {
    config: {
      attemptTimeoutMs: ATTEMPT_MS,
      headerPrefix: 'service',
      slowAnswerMs: 1_000,
      retryScheduleSec: [5],
      pauseAfterMs: 1_000,
    },
    log: { info() {}, warn() {} },
    secrets,
    clock: { now: () => new Date(state.nowMs) },
    turns: { begin: () => state.freeMs },
    sending: { current: () => ({ isPaused: false, since: new Date(state.sentSinceMs) }) },
    targets: { of: async () => targetOf(2), recent: async () => targetOf(state.recent) },
    sender: {
      async send({ url }: { url: string }) {
        sent.push(url);
        return { status: state.status };
      },
    },
    store: {
      ledger: {
        async isErased() {
          steps.onErasureLook();
          return state.isErased;
        },
      },
      endpoints: {
        observe: async () => ({ endpoint, renewed: state.renewed }),
        async resumed() {},
        async failed(_projectId: string, version: number) {
          failed.push(version);
          return endpoint;
        },
      },
      queue: {
        async resume() {
          steps.onResume();
          return 1;
        },
        async succeeded() {},
        async failed() {},
        async putBack(_: ClaimedDelivery, { state: put }: Released) {
          released.push(put);
        },
      },
    },
  } as unknown as DeliverDeps;
  const run = (known?: Target, fields: Partial<ClaimedDelivery> = {}) => {
    const found = known && { target: known, endpoint, renewed: state.renewed };
    return deliver(deps, { ...delivery, ...fields }, new AbortController().signal, found);
  };
  return { state, steps, sent, failed, released, run, endpoint };
}

test('no attempt begins after an erasure that finished while paused deliveries were made due', async () => {
  const { state, steps, sent, released, run } = startProcess();
  state.renewed = true;
  steps.onResume = () => {
    state.isErased = true;
  };
  const result = await run();
  assert.deepEqual(sent, []);
  assert.deepEqual(released, ['erased']);
  assert.equal(result.resumed, true, 'other deliveries became due');
});

test('an attempt that could outlast its lease does not begin: another process could send it at the same time', async () => {
  for (const [pauseMs, times] of [
    [LEASE_MS - ATTEMPT_MS, 1],
    [LEASE_MS - ATTEMPT_MS + 1, 0],
    [LEASE_MS, 0],
    [600_000, 0],
  ] as const) {
    const { state, steps, sent, released, run } = startProcess();
    steps.onErasureLook = () => {
      state.nowMs += pauseMs;
    };
    assert.deepEqual(await run(), times === 0 ? { resumed: false } : { health: 'well', resumed: false });
    assert.equal(sent.length, times, `after ${pauseMs} ms`);
    assert.deepEqual(released, times === 0 ? ['pending'] : [], 'the delivery is due at once');
  }
});

test('an event goes to the current address when the address changed after the first read', async () => {
  const { state, sent, failed, run } = startProcess();
  state.status = 500;
  await run(targetOf(1));
  assert.deepEqual(sent, ['https://owner.example/2']);
  assert.deepEqual(failed, [2], 'the failure is recorded for that address');
});

test('a cached target older than its endpoint is read again before the attempt', async () => {
  const { state, sent, run } = startProcess();
  state.recent = 1;
  await run();
  assert.deepEqual(sent, ['https://owner.example/2']);
});

test('a delay is the time from when a first attempt was possible until it began, for each result', async () => {
  const at = (ms: number) => new Date(ms);
  const long = { createdAt: at(0), leaseUntil: at(1_000_000) };
  const delays = async () => (await measured.seriesOf('recording.webhook.delay'))[0] ?? { value: 0, sum: 0 };
  const cases: [sec: number | undefined, of: Parameters<typeof startDelayed>[0]][] = [
    [90, {}],
    [90, { status: 500 }],
    [50, { endpoint: { wellSince: at(40_000) } }],
    [30, { freeMs: 60_000 }],
    [20, { sentSinceMs: 70_000 }],
    [undefined, { endpoint: { failingSince: at(10_000) } }],
    [undefined, { fields: { forced: true } }],
    [undefined, { fields: { attemptCount: 1 } }],
    [undefined, { fields: { eventType: 'webhook.test' } }],
  ];
  for (const [sec, of] of cases) {
    const before = await delays();
    await startDelayed(of);
    const { value, sum } = await delays();
    const measuredSec = value === before.value ? undefined : sum! - before.sum!;
    assert.equal(measuredSec, sec, JSON.stringify(of));
  }

  async function startDelayed(of: {
    status?: number;
    freeMs?: number;
    sentSinceMs?: number;
    endpoint?: Partial<Endpoint>;
    fields?: Partial<ClaimedDelivery>;
  }) {
    const { state, run, endpoint } = startProcess();
    const { status = 204, freeMs = 0, sentSinceMs = 0 } = of;
    Object.assign(state, { nowMs: 90_000, status, freeMs, sentSinceMs });
    Object.assign(endpoint, of.endpoint);
    await run(undefined, { ...long, ...of.fields });
  }
});
