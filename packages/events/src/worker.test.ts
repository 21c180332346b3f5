import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createLogger } from '@recording-request/kit/log';
import type { Event } from '@recording-request/proto/events/v1/events';
import { JobKind } from '@recording-request/proto/work/v1/work';
import type { JobClaims } from './job-claims.ts';
import type { Kafka } from './kafka.ts';
import { startWorker } from './worker.ts';

const JOBS = 5;
const JOB = { kind: JobKind.JOB_KIND_TRANSCRIPT, requestNumber: 1, projectId: 'p' };
const log = createLogger('worker-test', 'silent');

/** A worker with one slot, beside others at which JOBS wait, while no time passes: nothing is taken at a later look. */
async function startBesideOthers(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let begun = 0;
  let waiting = JOBS;
  const ended: number[] = [];
  const claims = {
    run: (_job, { signal }, work) => work(signal),
    async take() {
      if (waiting === 0) return undefined;
      waiting -= 1;
      return { event: {}, run: claims.run };
    },
  } as Pick<JobClaims, 'run' | 'take'> as JobClaims;
  let deliver: (() => Promise<void>) | undefined;
  const consume = async ({ handle }: Parameters<Kafka['consume']>[0]) => {
    deliver = () => handle({} as Event, { signal: new AbortController().signal, log });
    return { stop: async () => {} };
  };
  const worker = await startWorker({
    ...{ claims, topic: 'transcription.work', group: 'transcription', kind: JobKind.JOB_KIND_TRANSCRIPT },
    kafka: { consume } as unknown as Kafka,
    ...{ slots: 1, jobLimitMs: 60_000, stopGraceMs: 1_000, log },
    read() {
      begun += 1;
      const number = begun;
      return { job: { ...JOB, submissionId: `s${number}` }, work: async () => void ended.push(number) };
    },
  });
  t.after(() => worker.stop());
  return {
    deliver: () => deliver!(),
    leaves: (count: number) => {
      waiting = count;
    },
    async end(count: number) {
      for (let turn = 0; turn < 1_000 && ended.length < count; turn += 1) await new Promise(setImmediate);
      assert.equal(ended.length, count, 'each job waits only for the one before');
    },
  };
}

test('a worker that takes jobs from others takes the next one as soon as one has ended', async t => {
  const { end } = await startBesideOthers(t);
  await end(JOBS);
});

test('a worker that has done what was delivered to it takes from others at once', async t => {
  const { deliver, leaves, end } = await startBesideOthers(t);
  await end(JOBS);
  leaves(JOBS);
  await deliver();
  await end(JOBS + 1 + JOBS);
});
