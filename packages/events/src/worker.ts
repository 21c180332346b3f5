import { AsyncLocalStorage } from 'node:async_hooks';
import { context } from '@opentelemetry/api';
import { createFairSlots, ownName } from '@recording-request/kit/fair-slots';
import { every } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import { type Consumer, PoisonError } from '@recording-request/kit-kafka/consumer';
import { durationOf, secondsSince } from '@recording-request/kit-telemetry/metrics';
import { reportSlots } from '@recording-request/kit-telemetry/slot-figures';
import { partOrLink, startSpan } from '@recording-request/kit-telemetry/span';
import { JobKind, type TakeJobResponse } from '@recording-request/proto/work/v1/work';
import { asOutage, type JobClaims, type TakenJob } from './job-claims.ts';
import type { Kafka } from './kafka.ts';
import { type EventType, type TopicName, topicOf } from './topics.ts';

type AnyJob = NonNullable<TakeJobResponse['job']>;
type Kind = AnyJob['$case'];
type JobOf<K extends Kind> = Extract<AnyJob, { $case: K }>['value'];

export interface WorkerOptions<K extends Kind> {
  kafka: Pick<Kafka, 'consume'>;
  claims: JobClaims;
  topic: TopicName;
  group: string;
  kind: K;
  /** The number of concurrent jobs in this process. */
  slots: number;
  /** The time limit of a job in milliseconds. After it, the job's signal fires. */
  jobLimitMs: number;
  /** The milliseconds for which a stop waits for running jobs before it puts them back into the queue. */
  stopGraceMs: number;
  log: Logger;
  /** Does the job. Must be repeatable. */
  work(job: JobOf<K>, options: { signal: AbortSignal; log: Logger }): Promise<void>;
}

const KINDS = { media: JobKind.JOB_KIND_MEDIA, transcript: JobKind.JOB_KIND_TRANSCRIPT } as const;
const POLL_MS = 5_000;
const jobDuration = durationOf('recording.job.duration');

/**
 * Processes jobs of one kind. While a slot is free, the worker requests the next job from the submissions service in
 * three cases: a record of the topic announces work; POLL_MS have passed; or a job that a poll found has ended, because
 * more jobs may then wait without a record.
 *
 * The outbox of submissions writes a record for each job that begins to wait. The record does not name a job. One
 * process handles the record when it has a free slot. So the consumer lag is close to the number of waiting jobs, and
 * autoscalers use the lag. If a record is lost or waits behind long jobs, any process with a free slot finds the job by
 * polling after at most POLL_MS.
 */
export async function startWorker<K extends Kind>(options: WorkerOptions<K>): Promise<Consumer> {
  const { kafka, claims, topic, group, kind, slots: count, jobLimitMs, stopGraceMs, log } = options;
  const leaving = new AbortController();
  const giveUp = new AbortController();
  const slots = createFairSlots(count, { queued: count });
  reportSlots(kind, count, slots.used);
  const running = new Set<Promise<void>>();
  // Runs outside the record's context, because the next job may be a different job from the one that caused the record.
  const outside = AsyncLocalStorage.snapshot();
  let wake = () => {};

  const take = async (slot: Disposable, isPolled = false): Promise<boolean> => {
    using taking = new DisposableStack();
    taking.use(slot);
    const taken = leaving.signal.aborted ? undefined : await claims.take(KINDS[kind]);
    if (!taken) return false;
    const held = taking.move();
    const done = runJob(options, taken, giveUp.signal).finally(() => {
      held.dispose();
      running.delete(done);
      if (isPolled) wake();
    });
    running.add(done);
    return true;
  };
  const look = async () => {
    for (let slot = slots.tryTake(ownName()); slot && (await take(slot, true)); ) slot = slots.tryTake(ownName());
  };
  const consumer = await kafka.consume({
    ...{ topic, group, concurrency: count },
    // Longer than a job, because the handler waits until a job has ended.
    jobLimitMs: 2 * jobLimitMs,
    async handle({ type }, { signal }) {
      if (topicOf(type as EventType) !== topic) throw new PoisonError(`${type} requests no ${kind} job`);
      const slot = await slots.take(ownName(), AbortSignal.any([signal, leaving.signal])).catch(error => {
        if (!leaving.signal.aborted) throw error;
      });
      if (slot) await outside(take, slot).catch(asOutage('The next job could not be requested'));
    },
  });
  const loop = every(POLL_MS, look, { log, name: `jobs of ${topic}` });
  wake = loop.wake;
  return {
    async stop() {
      leaving.abort();
      const timer = setTimeout(() => giveUp.abort(new Error('the service stops')), stopGraceMs);
      await Promise.all([consumer.stop(), loop.stop()]);
      await Promise.all(running);
      clearTimeout(timer);
    },
  };
}

/** Never rejects. */
async function runJob<K extends Kind>(
  { kind, work, jobLimitMs, log }: WorkerOptions<K>,
  { job, earlierRuns, askedIn, landedIn, run }: TakenJob,
  giveUp: AbortSignal,
): Promise<void> {
  const { projectId, submissionId } = job.value;
  const about = log.child({ kind, projectId, submissionId });
  const relation = { cause: askedIn, as: partOrLink(earlierRuns), also: landedIn };
  const span = startSpan(`${kind} job`, { about: job.value, ...relation });
  const startedAt = performance.now();
  const ended = (outcome: 'ok' | 'again', error?: unknown) => {
    span.end(error);
    jobDuration(secondsSince(startedAt), { 'recording.job.kind': kind, 'recording.outcome': outcome });
  };
  const attempt = async (signal: AbortSignal) => {
    try {
      await work(job.value as JobOf<K>, { signal, log: about });
    } catch (error) {
      ended('again', error);
      throw error;
    }
    ended('ok');
    about.info({ ms: Math.round(performance.now() - startedAt) }, 'A job has ended');
  };
  const signal = AbortSignal.any([AbortSignal.timeout(jobLimitMs), giveUp]);
  await context.with(span.context, () =>
    run({ signal, log: about }, attempt).catch(err => about.warn({ err }, 'A job is left to another process')),
  );
}
