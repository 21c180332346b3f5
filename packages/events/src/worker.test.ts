import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { newEvent } from '@recording-request/events/event';
import { createLogger } from '@recording-request/kit/log';
import { PoisonError } from '@recording-request/kit-kafka/consumer';
import type { TakenJob } from './job-claims.ts';
import type { Kafka } from './kafka.ts';
import { startWorker } from './worker.ts';

const JOBS = 5;
const log = createLogger('worker-test', 'silent');
const ids = { projectId: 'p', submissionId: 's' };
const record = newEvent('submission.transcript.requested', { $case: 'jobRequested', value: ids });
const turns = async () => {
  for (let turn = 0; turn < 1_000; turn += 1) await new Promise(setImmediate);
};

/** Starts a worker with one slot and a queue. The timers are mocked, so no later poll runs. */
async function startAlone(t: TestContext, { waiting = 0, work = async () => {} } = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const queue = { waiting, requested: 0, away: false, ended: 0 };
  const job: TakenJob = {
    ...{ earlierRuns: 0, askedIn: undefined, landedIn: undefined },
    job: { $case: 'transcript', value: { ...ids, audioKey: 'a', durationSec: 1, requestNumber: 1 } },
    run: ({ signal }, attempt) => attempt(signal),
  };
  const claims = {
    async take() {
      queue.requested += 1;
      if (queue.away) throw new Error('a mistake of the server');
      if (queue.waiting === 0) return undefined;
      queue.waiting -= 1;
      return job;
    },
    [Symbol.dispose]() {},
  };
  let handle: Parameters<Kafka['consume']>[0]['handle'];
  const consume = async (options: Parameters<Kafka['consume']>[0]) => {
    handle = options.handle;
    return { stop: async () => {} };
  };
  const worker = await startWorker({
    ...{ kafka: { consume }, claims, topic: 'transcription.work', group: 'transcription', kind: 'transcript' },
    ...{ slots: 1, jobLimitMs: 60_000, stopGraceMs: 1_000, log },
    async work() {
      await work();
      queue.ended += 1;
    },
  });
  t.after(() => worker.stop());
  await turns();
  return { queue, worker, deliver: (event = record) => handle(event, { signal: new AbortController().signal, log }) };
}

test('a worker takes the next job as soon as one has ended', async t => {
  const { queue } = await startAlone(t, { waiting: JOBS });
  assert.equal(queue.ended, JOBS);
});

test('each record wakes a worker at once, and costs one request', async t => {
  const { queue, deliver } = await startAlone(t);
  const { requested } = queue;
  queue.waiting = JOBS;
  for (let job = 0; job < JOBS; job += 1) await deliver();
  await turns();
  assert.deepEqual([queue.ended, queue.requested - requested], [JOBS, JOBS]);
});

test('lost records cost one poll', async t => {
  const { queue } = await startAlone(t);
  queue.waiting = JOBS;
  t.mock.timers.tick(5_000);
  await turns();
  assert.equal(queue.ended, JOBS);
});

test('a record is handled when a slot is free, so the consumer lag counts the jobs without a worker', async t => {
  const long = Promise.withResolvers<void>();
  const { queue, deliver } = await startAlone(t, { waiting: 1, work: () => long.promise });
  let isHandled = false;
  const handled = deliver().then(() => {
    isHandled = true;
  });
  await turns();
  assert.equal(isHandled, false);
  long.resolve();
  await handled;
  assert.equal(queue.ended, 1);
});

test('a stopping worker takes no more jobs, and records do not delay its stop', async t => {
  const long = Promise.withResolvers<void>();
  const { queue, worker, deliver } = await startAlone(t, { waiting: 1, work: () => long.promise });
  const handled = deliver();
  queue.waiting = 1;
  const stopped = worker.stop();
  await handled;
  long.resolve();
  await stopped;
  await deliver();
  assert.deepEqual([queue.ended, queue.waiting], [1, 1]);
});

test('a record for other work is poison; a failed request for a job is not', async t => {
  const { queue, deliver } = await startAlone(t);
  const other = newEvent('submission.media.requested', { $case: 'jobRequested', value: ids });
  await assert.rejects(deliver(other), PoisonError);
  queue.away = true;
  await assert.rejects(deliver(), { code: 'unavailable' });
});
