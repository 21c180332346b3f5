import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import { createLogger, type Logger } from '@recording-request/kit/log';
import { PostponedError } from '@recording-request/kit-kafka/consumer';
import type { GrpcServer } from '@recording-request/kit-rpc/grpc-server';
import {
  type BeginJobResponse,
  type GiveBackJobRequest,
  JobKind,
  Verdict,
  type WorkServiceServer,
  WorkServiceService,
} from '@recording-request/proto/work/v1/work';
import { fakeService, startFakeServices } from '@recording-request/testing/fake-services';
import { openTestCallers, type TestCallers } from '@recording-request/testing/test-callers';
import { createJobClaims, type JobClaims, OutageError } from '../src/job-claims.ts';

const job = { projectId: 'p', submissionId: 's', kind: JobKind.JOB_KIND_MEDIA, requestNumber: 0 };
const log = createLogger('test', 'silent');
const never = new AbortController().signal;
let server: GrpcServer;
let claims: JobClaims;
let callers: TestCallers;
let verdict: BeginJobResponse;
let held: boolean;
let holders: string[];
let answerIsLost: boolean;
let given: GiveBackJobRequest[];
let reported: number;

before(async () => {
  const handlers = {
    beginJob: async ({ holder }: { holder: string }) => {
      holders.push(holder);
      if (answerIsLost) throw new DomainError('unavailable', 'The connection broke.');
      return verdict;
    },
    renewJob: async (request: { reported: boolean }) => {
      if (request.reported) reported += 1;
      return { held };
    },
    giveBackJob: async (request: GiveBackJobRequest) => {
      given.push(request);
      return {};
    },
  };
  callers = await openTestCallers();
  server = await startFakeServices([fakeService<WorkServiceServer>(WorkServiceService, () => handlers)]);
  claims = createJobClaims(server.address, callers.as('media').peer('submissions'));
});
after(async () => {
  claims?.[Symbol.dispose]();
  callers?.[Symbol.dispose]();
  await server?.close(0);
});
beforeEach(() => {
  verdict = { verdict: Verdict.VERDICT_GO, leaseMs: 60_000, laterMs: 0 };
  held = true;
  holders = [];
  answerIsLost = false;
  given = [];
  reported = 0;
});

const run = (work: (signal: AbortSignal) => Promise<void>, signal = never) => claims.run(job, { signal, log }, work);
const notReached = async () => assert.fail('there is nothing to do');
const givenBack = () =>
  given.map(({ uncounted, atOnce, problem, afterMs }) => ({ uncounted, atOnce, problem, afterMs }));

test('a job is begun, and its result reported', async () => {
  let done = 0;
  await run(async () => {
    done += 1;
  });
  assert.deepEqual([done, reported, given], [1, 1, []]);
});

test('a job whose beginning got no answer is begun as the same run, and the next as another', async () => {
  answerIsLost = true;
  await assert.rejects(run(notReached), { code: 'unavailable' });
  answerIsLost = false;
  for (let runs = 0; runs < 2; runs += 1) await run(async () => {});
  assert.equal(holders[1], holders[0], 'the server counts it once');
  assert.notEqual(holders[2], holders[1]);
});

test('a job that another process has comes later, and one that has ended is dropped', async () => {
  verdict = { verdict: Verdict.VERDICT_LATER, leaseMs: 60_000, laterMs: 7_000 };
  await assert.rejects(run(notReached), error => error instanceof PostponedError && error.afterMs === 7_000);
  verdict = { verdict: Verdict.VERDICT_DROP, leaseMs: 60_000, laterMs: 0 };
  await run(notReached);
});

test('what is away gives the job back uncounted, with its pause; any other failure counts', async () => {
  const cause = new Error('503');
  await run(() => Promise.reject(new OutageError('The store is away', { cause, afterMs: 9_000 })));
  await run(() => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })));
  await run(() => Promise.reject(new DomainError('timeout', 'Too slow.')));
  await run(() => Promise.reject(new TypeError('a bug')));
  assert.deepEqual(givenBack(), [
    { uncounted: true, atOnce: false, problem: 'The store is away: 503', afterMs: 9_000 },
    { uncounted: true, atOnce: false, problem: 'connect', afterMs: 0 },
    { uncounted: true, atOnce: false, problem: 'Too slow.', afterMs: 0 },
    { uncounted: false, atOnce: false, problem: 'a bug', afterMs: 0 },
  ]);
});

test('a process that stops leaves the job and its request to another one; a job that takes too long has had its attempt', async () => {
  const stopped = AbortSignal.abort(new Error('the service stops'));
  await assert.rejects(
    run(signal => Promise.reject(signal.reason), stopped),
    /stops/,
  );
  await run(signal => Promise.reject(signal.reason), AbortSignal.abort(new DOMException('late', 'TimeoutError')));
  assert.deepEqual(
    given.map(({ uncounted, atOnce }) => ({ uncounted, atOnce })),
    [
      { uncounted: true, atOnce: true },
      { uncounted: false, atOnce: false },
    ],
  );
});

test('a job that has no result is one line, with how long it took, however it ended', async () => {
  const lines: string[] = [];
  const note =
    (level: string) =>
    ({ ms }: { ms?: number }, said: string) =>
      void lines.push(`${level} ${typeof ms} ${said}`);
  const noted = { ...log, info: note('info'), warn: note('warn') } as unknown as Logger;
  const end = (work: () => Promise<void>, signal = never) => claims.run(job, { signal, log: noted }, work);
  await end(() => Promise.reject(new TypeError('a bug')));
  const stops = AbortSignal.abort(new Error('the service stops'));
  await assert.rejects(end(() => Promise.reject(stops.reason), stops));
  assert.deepEqual(lines, [
    'warn number A job is given back',
    'info number A job is given back, as this process stops',
  ]);
});

test('work on a job that was lost ends, and is not given back', async () => {
  verdict = { ...verdict, leaseMs: 900 };
  held = false;
  await run(async signal => {
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => reject(signal.reason));
    await promise;
  });
  assert.deepEqual(given, []);
});
