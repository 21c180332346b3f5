import { context } from '@opentelemetry/api';
import { every } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import { createSlots } from '@recording-request/kit/slots';
import type { Consumer } from '@recording-request/kit-kafka/consumer';
import { durationOf, secondsSince } from '@recording-request/kit-telemetry/metrics';
import { reportSlots } from '@recording-request/kit-telemetry/slot-figures';
import { contextOf, inSpan } from '@recording-request/kit-telemetry/span';
import type { Event } from '@recording-request/proto/events/v1/events';
import { type Job, JobKind } from '@recording-request/proto/work/v1/work';
import type { JobClaims } from './job-claims.ts';
import type { Kafka } from './kafka.ts';
import type { TopicName } from './topics.ts';

export interface WorkerOptions {
  kafka: Kafka;
  claims: JobClaims;
  topic: TopicName;
  group: string;
  kind: JobKind;
  /** How many jobs run at once in this process. */
  slots: number;
  /** How long a job may take before its signal fires, in milliseconds. */
  jobLimitMs: number;
  /** How long a stop lets running jobs go on before they are given back, in milliseconds. */
  stopGraceMs: number;
  log: Logger;
  /** Returns what a request asks for. Throws a PoisonError where it is none. */
  read(event: Event): JobRequest;
}

export interface JobRequest {
  job: Job;
  /** The effect of the job. Can be repeated. */
  work(options: { signal: AbortSignal; log: Logger }): Promise<void>;
}

/** What each line of a job tells of it: its ids as the gateway's log lines name them. */
const told = (kind: JobKind, { projectId, submissionId }: Job) => ({ kind: wordOf(kind), projectId, submissionId });

const jobDuration = durationOf('recording.job.duration');

const wordOf = (kind: JobKind) => (kind === JobKind.JOB_KIND_MEDIA ? 'media' : 'transcript');

async function logged(kind: JobKind, { job, work }: JobRequest, signal: AbortSignal, log: Logger): Promise<void> {
  const startedAt = performance.now();
  const word = wordOf(kind);
  let outcome = 'again';
  try {
    await inSpan(`${word} job`, { about: job }, () => work({ signal, log }));
    outcome = 'ok';
    log.info({ ms: Math.round(performance.now() - startedAt) }, 'A job has ended');
  } finally {
    jobDuration(secondsSince(startedAt), { 'recording.job.kind': word, 'recording.outcome': outcome });
  }
}

const IDLE_LOOK_MS = 1_500;

/**
 * Works on the requests of a topic. A request is delivered to one process, whether or not that has a slot: a process with a
 * free one also takes jobs that wait at others.
 */
export async function startWorker(options: WorkerOptions): Promise<Consumer> {
  const { kafka, claims, topic, group, kind, slots: count, jobLimitMs, stopGraceMs, log, read } = options;
  const giveUp = new AbortController();
  const slots = createSlots(count);
  reportSlots(wordOf(kind), count, slots.used);
  const taken = new Set<Promise<void>>();
  const limited = (signal: AbortSignal) => AbortSignal.any([AbortSignal.timeout(jobLimitMs), signal]);
  let wake = () => {};
  // A request that was delivered here goes first.
  const lookSoon = () => void setImmediate(() => wake());
  const consumer = await kafka.consume({
    ...{ topic, group, concurrency: count, stopGraceMs },
    // It may first have to wait for a job that was taken.
    jobLimitMs: 2 * jobLimitMs,
    async handle(event, delivery) {
      const request = read(event);
      const { job } = request;
      const about = delivery.log.child(told(kind, job));
      {
        using _slot = await slots.acquire(delivery.signal);
        const signal = limited(delivery.signal);
        await claims.run(job, { signal, log: about }, claimed => logged(kind, request, claimed, about));
      }
      lookSoon();
    },
  });
  const readOr = (event: Event, otherwise: () => void) => {
    try {
      return read(event);
    } catch (error) {
      otherwise();
      throw error;
    }
  };
  const take = async (): Promise<boolean> => {
    const slot = slots.tryAcquire();
    if (!slot) return false;
    const found = await claims.take(kind).catch(error => {
      slot[Symbol.dispose]();
      throw error;
    });
    if (!found) {
      slot[Symbol.dispose]();
      return false;
    }
    const request = readOr(found.event, () => slot[Symbol.dispose]());
    const { job } = request;
    const about = log.child(told(kind, job));
    const run = () =>
      found.run(job, { signal: limited(giveUp.signal), log: about }, signal => logged(kind, request, signal, about));
    const running = context
      .with(contextOf(found.event), run)
      .then(lookSoon, err => about.warn({ err }, 'A job that was taken is left to another process'))
      .finally(() => {
        slot[Symbol.dispose]();
        taken.delete(running);
      });
    taken.add(running);
    return true;
  };
  let stopping = false;
  const look = async () => {
    while (!stopping && (await take()));
  };
  const loop = every(IDLE_LOOK_MS, look, { log, name: `idle slots of ${topic}` });
  wake = loop.wake;
  return {
    async stop() {
      stopping = true;
      const timer = setTimeout(() => giveUp.abort(new Error('the service stops')), stopGraceMs);
      const takenEnd = loop.stop().then(() => Promise.all(taken));
      await Promise.all([consumer.stop(), takenEnd]).finally(() => clearTimeout(timer));
    },
  };
}
