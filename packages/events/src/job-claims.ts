import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '@recording-request/kit/bounds';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import type { Logger } from '@recording-request/kit/log';
import { isOutage } from '@recording-request/kit/outage';
import { PostponedError } from '@recording-request/kit-kafka/consumer';
import { type ClientOf, createClient } from '@recording-request/kit-rpc/grpc-client';
import type { Peer } from '@recording-request/kit-rpc/internal/internal';
import { unsampled } from '@recording-request/kit-telemetry/span';
import type { Event } from '@recording-request/proto/events/v1/events';
import { mayRepeat } from '@recording-request/proto/repeatable';
import {
  type Job,
  type JobKind,
  Verdict,
  type WorkServiceServer,
  WorkServiceService,
} from '@recording-request/proto/work/v1/work';

/** What a job needs is away, or does not work as it should. It says nothing about the job itself, and does not count as an attempt. */
export class OutageError extends DomainError {
  /** The shortest pause before the next attempt, in milliseconds. */
  readonly afterMs: number;

  constructor(message: string, options: { cause?: unknown; afterMs?: number | undefined } = {}) {
    super('unavailable', message, { cause: options.cause });
    this.name = 'OutageError';
    this.afterMs = options.afterMs ?? 0;
  }
}

/** Passed to `catch` where a failure is that of something the job needs. */
export const asOutage =
  (what: string) =>
  (cause: unknown): never => {
    throw new OutageError(what, { cause });
  };

/** Claims jobs at the submissions service, so that one process at a time works on each. */
export interface JobClaims extends Disposable {
  /**
   * Begins the job and runs `work`, unless there is nothing to do any more. A job that `work` fails to end is given back,
   * to be published again. The signal of `work` fires with `signal`, and when the claim is lost. Rejects when the request
   * is to be handled again: another process has the job, the submissions service is away, or `signal` fired for another
   * reason than a time limit, because this process stops.
   */
  run(job: Job, options: RunOptions, work: Work): Promise<void>;
  /** Begins a job whose request waits at another process. Undefined when there is none. */
  take(kind: JobKind): Promise<TakenJob | undefined>;
}

export interface RunOptions {
  signal: AbortSignal;
  log: Logger;
}

type Work = (signal: AbortSignal) => Promise<void>;

export interface TakenJob {
  event: Event;
  /** Runs `work` as JobClaims.run does. */
  run(job: Job, options: RunOptions, work: Work): Promise<void>;
}

const CALL_MS = 10_000;
const TAKE_MS = 3_000;
const RENEWALS_A_LEASE = 3;
// More than a process has in its hands; where there are more, an attempt may be counted twice.
const UNANSWERED_MAX = 10_000;
const GIVE_BACK_TRIES = 6;
// The server takes no longer one either.
const PAUSE_MAX_MS = 60 * 60_000;

type WorkClient = ClientOf<WorkServiceServer>;

/** Opens a client of the submissions service at `target` (`host:port`). */
export function createJobClaims(target: string, peer: Peer): JobClaims {
  const client = createClient<WorkServiceServer>(WorkServiceService, target, peer, { deadlineMs: CALL_MS, mayRepeat });
  // Runs that may have begun, as the answer did not come: the next one of the same job asks as the same run.
  const unanswered = new Map<string, string>();
  return {
    async run(job, options, work) {
      const key = `${job.kind} ${job.requestNumber} ${job.projectId} ${job.submissionId}`;
      const holder = unanswered.get(key) ?? uuidv7();
      unanswered.delete(key);
      const begun = await begin(client, job, holder).catch(error => {
        if (isAway(error)) unanswered.set(key, holder);
        if (unanswered.size > UNANSWERED_MAX) unanswered.delete(unanswered.keys().next().value!);
        throw error;
      });
      if (begun === 'drop') return options.log.debug('There is nothing to do for a request any more');
      await runClaimed(client, { job, holder, leaseMs: begun.leaseMs }, options, work);
    },
    async take(kind) {
      // Of its own: the request of a job that was taken may come to this process, too.
      const holder = uuidv7();
      // Asked again and again, mostly in vain: traces of that would bury those of clips.
      const { event, leaseMs } = await unsampled(() => client.takeJob({ kind, holder }, { deadlineMs: TAKE_MS }));
      return (
        event && { event, run: (job, options, work) => runClaimed(client, { job, holder, leaseMs }, options, work) }
      );
    },
    [Symbol.dispose]: () => client.close(),
  };
}

interface Claim {
  job: Job;
  holder: string;
  leaseMs: number;
}

async function runClaimed(
  client: WorkClient,
  { leaseMs, ...claim }: Claim,
  { signal, log }: RunOptions,
  work: Work,
): Promise<void> {
  const lost = new AbortController();
  const startedAt = performance.now();
  const stopRenewing = renewing(client, claim, leaseMs / RENEWALS_A_LEASE, lost, log);
  try {
    await work(AbortSignal.any([signal, lost.signal]));
    // What fails here is found by the result itself, or at the deadline.
    await client.renewJob({ ...claim, reported: true }).catch(() => {});
  } catch (error) {
    const line = { err: error, ms: Math.round(performance.now() - startedAt) };
    if (lost.signal.aborted) return log.warn(line, 'A job was left: it has ended, or another process has it');
    const atOnce = signal.aborted && !isTimeLimit(signal);
    await giveBack(client, { ...claim, atOnce, ...described(error, atOnce) });
    if (atOnce) {
      log.info(line, 'A job is given back, as this process stops');
      throw error;
    }
    log.warn(line, 'A job is given back');
  } finally {
    stopRenewing();
  }
}

/** Asks again while the submissions service is away, too: a job that is not given back counts as tried. */
async function giveBack(client: WorkClient, request: Parameters<WorkClient['giveBackJob']>[0]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.giveBackJob(request);
      return;
    } catch (error) {
      if (request.atOnce || attempt === GIVE_BACK_TRIES || !isAway(error)) throw error;
      await delay(backoffMs(attempt, 1_000, 10_000));
    }
  }
}

async function begin(client: WorkClient, job: Job, holder: string): Promise<{ leaseMs: number } | 'drop'> {
  const { verdict, leaseMs, laterMs } = await client.beginJob({ job, holder });
  if (verdict === Verdict.VERDICT_GO) return { leaseMs };
  if (verdict === Verdict.VERDICT_DROP) return 'drop';
  throw new PostponedError('Another process works on this job.', laterMs);
}

/** A renewal that gets no answer is no reason to stop: the next one may. */
function renewing(
  client: WorkClient,
  claim: { job: Job; holder: string },
  everyMs: number,
  lost: AbortController,
  log: Logger,
): () => void {
  const timer = setInterval(() => {
    unsampled(() => client.renewJob({ ...claim, reported: false }, { deadlineMs: everyMs })).then(
      ({ held }) => held || lost.abort(new Error('the claim is lost')),
      err => log.warn({ err }, 'A claim could not be renewed'),
    );
  }, everyMs);
  return () => clearInterval(timer);
}

const isTimeLimit = ({ reason }: AbortSignal): boolean => reason instanceof Error && reason.name === 'TimeoutError';

const isAway = (error: unknown): boolean =>
  isOutage(error) || (error instanceof DomainError && (error.code === 'unavailable' || error.code === 'timeout'));

function described(error: unknown, isStopping: boolean) {
  const { message, cause } = error as Error;
  const problem = cause instanceof Error ? `${message}: ${cause.message}` : message;
  const afterMs = error instanceof OutageError ? Math.min(Math.ceil(error.afterMs), PAUSE_MAX_MS) : 0;
  return { uncounted: isStopping || isAway(error), problem, afterMs };
}
