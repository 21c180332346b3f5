import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import { createLogger, type Logger } from '@recording-request/kit/log';
import type { GrpcServer } from '@recording-request/kit-rpc/grpc-server';
import {
  type GiveBackJobRequest,
  JobKind,
  type TakeJobRequest,
  type TakeJobResponse,
  type WorkServiceServer,
  WorkServiceService,
} from '@recording-request/proto/work/v1/work';
import { fakeService, startFakeServices } from '@recording-request/testing/fake-services';
import { openTestCallers, type TestCallers } from '@recording-request/testing/test-callers';
import { createJobClaims, type JobClaims, OutageError } from '../src/job-claims.ts';

const MEDIA = JobKind.JOB_KIND_MEDIA;
const log = createLogger('test', 'silent');
const never = new AbortController().signal;
let server: GrpcServer;
let claims: JobClaims;
let callers: TestCallers;
let next: TakeJobResponse;
let held: boolean;
let requested: TakeJobRequest[];
let answerIsLost: boolean;
let given: GiveBackJobRequest[];
let reported: number;

before(async () => {
  const handlers = {
    takeJob: async (request: TakeJobRequest) => {
      requested.push(request);
      if (answerIsLost) throw new DomainError('unavailable', 'The connection broke.');
      return next;
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
  const job = { $case: 'media', value: { projectId: 'p', submissionId: 's', sourceKey: 'k' } } as const;
  next = { job, leaseMs: 60_000, earlierRuns: 0, askedIn: undefined, landedIn: undefined };
  held = true;
  requested = [];
  answerIsLost = false;
  given = [];
  reported = 0;
});

const run = async (work: (signal: AbortSignal) => Promise<void>, signal = never, to = log) => {
  const taken = await claims.take(MEDIA);
  await taken!.run({ signal, log: to }, work);
};
const givenBack = () =>
  given.map(({ uncounted, atOnce, problem, afterMs }) => ({ uncounted, atOnce, problem, afterMs }));

test('a job is taken, and its result reported', async () => {
  let done = 0;
  await run(async () => {
    done += 1;
  });
  assert.deepEqual([done, reported, given], [1, 1, []]);
});

test('a claim without an answer is repeated as the same run, and the next one is a new run', async () => {
  answerIsLost = true;
  await assert.rejects(claims.take(MEDIA), { code: 'unavailable' });
  answerIsLost = false;
  for (let runs = 0; runs < 2; runs += 1) await run(async () => {});
  assert.equal(requested[1]!.holder, requested[0]!.holder, 'the server counts it once');
  assert.notEqual(requested[2]!.holder, requested[1]!.holder);
  assert.deepEqual(
    requested.map(({ again }) => again),
    [false, true, false],
  );
});

test('without a job, take returns undefined', async () => {
  next = { ...next, job: undefined };
  assert.equal(await claims.take(MEDIA), undefined);
});

test('an outage returns the job uncounted, with its pause; any other failure counts', async () => {
  const cause = new Error('503');
  await run(() => Promise.reject(new OutageError('The store is down', { cause, afterMs: 9_000 })));
  await run(() => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })));
  await run(() => Promise.reject(new DomainError('timeout', 'Too slow.')));
  await run(() => Promise.reject(new TypeError('a bug')));
  assert.deepEqual(givenBack(), [
    { uncounted: true, atOnce: false, problem: 'The store is down: 503', afterMs: 9_000 },
    { uncounted: true, atOnce: false, problem: 'connect', afterMs: 0 },
    { uncounted: true, atOnce: false, problem: 'Too slow.', afterMs: 0 },
    { uncounted: false, atOnce: false, problem: 'a bug', afterMs: 0 },
  ]);
});

test('a stopping process returns the job to another one; a job that takes too long counts as an attempt', async () => {
  const stopped = AbortSignal.abort(new Error('the service stops'));
  await run(signal => Promise.reject(signal.reason), stopped);
  await run(signal => Promise.reject(signal.reason), AbortSignal.abort(new DOMException('late', 'TimeoutError')));
  assert.deepEqual(
    given.map(({ uncounted, atOnce }) => ({ uncounted, atOnce })),
    [
      { uncounted: true, atOnce: true },
      { uncounted: false, atOnce: false },
    ],
  );
});

test('a job without a result logs one line with its duration', async () => {
  const lines: string[] = [];
  const note =
    (level: string) =>
    ({ ms }: { ms?: number }, said: string) =>
      void lines.push(`${level} ${typeof ms} ${said}`);
  const recordingLog = { ...log, info: note('info'), warn: note('warn') } as unknown as Logger;
  await run(() => Promise.reject(new TypeError('a bug')), never, recordingLog);
  const stops = AbortSignal.abort(new Error('the service stops'));
  await run(() => Promise.reject(stops.reason), stops, recordingLog);
  assert.deepEqual(lines, [
    'warn number A job failed and was returned to the queue',
    'info number A job was returned to the queue because this process stops',
  ]);
});

test('work on a lost claim ends, and the job is not returned', async () => {
  next = { ...next, leaseMs: 900 };
  held = false;
  await run(async signal => {
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => reject(signal.reason));
    await promise;
  });
  assert.deepEqual(given, []);
});
