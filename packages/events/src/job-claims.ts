import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '@recording-request/kit/bounds';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import type { Logger } from '@recording-request/kit/log';
import { isOutage } from '@recording-request/kit/outage';
import { type ClientOf, createClient } from '@recording-request/kit-rpc/grpc-client';
import type { Peer } from '@recording-request/kit-rpc/internal/internal';
import { unsampled } from '@recording-request/kit-telemetry/span';
import { mayRepeat } from '@recording-request/proto/repeatable';
import {
  type Job,
  type JobKind,
  type TakeJobResponse,
  type WorkServiceServer,
  WorkServiceService,
} from '@recording-request/proto/work/v1/work';

/** A dependency of the job is down or misconfigured. This says nothing about the job and does not count as an attempt. */
export class OutageError extends DomainError {
  /** The shortest pause before the next attempt, in milliseconds. */
  readonly afterMs: number;

  constructor(message: string, options: { cause?: unknown; afterMs?: number | undefined } = {}) {
    super('unavailable', message, { cause: options.cause });
    this.name = 'OutageError';
    this.afterMs = options.afterMs ?? 0;
  }
}

/** Returns a handler for `catch` that reports the failure of a dependency as an OutageError. */
export const asOutage =
  (what: string) =>
  (cause: unknown): never => {
    throw new OutageError(what, { cause });
  };

/** Claims jobs from the submissions service, so that only one process works on a job. */
export interface JobClaims extends Disposable {
  /** Claims the next job of a kind; undefined when there is none. */
  take(kind: JobKind): Promise<TakenJob | undefined>;
}

export interface RunOptions {
  signal: AbortSignal;
  log: Logger;
}

type Work = (signal: AbortSignal) => Promise<void>;

export interface TakenJob extends Pick<TakeJobResponse, 'earlierRuns' | 'askedIn' | 'landedIn'> {
  job: NonNullable<TakeJobResponse['job']>;
  /**
   * Runs `work`. If `work` does not finish the job, puts the job back into the queue. `work` gets a signal that fires
   * when `signal` fires or when the claim is lost.
   */
  run(options: RunOptions, work: Work): Promise<void>;
}

const CALL_MS = 10_000;
const RENEWALS_A_LEASE = 3;
const GIVE_BACK_TRIES = 6;
// The server has the same limit.
const PAUSE_MAX_MS = 60 * 60_000;

type WorkClient = ClientOf<WorkServiceServer>;

export function createJobClaims(target: string, peer: Peer): JobClaims {
  const client = createClient<WorkServiceServer>(WorkServiceService, target, peer, { deadlineMs: CALL_MS, mayRepeat });
  // Claims without a response that may have succeeded. A later call repeats one of these claims. Each slot has at most
  // one.
  const unanswered: string[] = [];
  return {
    async take(kind) {
      const earlier = unanswered.pop();
      const holder = earlier ?? uuidv7();
      // Makes no traces, because workers poll often and usually find no job: these traces would hide the traces of
      // clips.
      const taking = unsampled(() => client.takeJob({ kind, holder, again: earlier !== undefined }));
      const { job, leaseMs, ...rest } = await taking.catch(error => {
        unanswered.push(holder);
        throw error;
      });
      if (!job) return undefined;
      const { projectId, submissionId } = job.value;
      const requestNumber = job.$case === 'transcript' ? job.value.requestNumber : 0;
      const claim = { job: { projectId, submissionId, kind, requestNumber }, holder, leaseMs };
      return { ...rest, job, run: (options, work) => runClaimed(client, claim, options, work) };
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
    // If this call fails, the job's result or the deadline ends the claim.
    await client.renewJob({ ...claim, reported: true }).catch(() => {});
  } catch (error) {
    const line = { err: error, ms: Math.round(performance.now() - startedAt) };
    if (lost.signal.aborted) return log.warn(line, 'A job was stopped: it has ended, or another process claimed it');
    const atOnce = signal.aborted && !isTimeLimit(signal);
    await giveBack(client, { ...claim, atOnce, ...described(error, atOnce) });
    if (atOnce) log.info(line, 'A job was returned to the queue because this process stops');
    else log.warn(line, 'A job failed and was returned to the queue');
  } finally {
    stopRenewing();
  }
}

/**
 * Puts the job back into the queue. Retries while the submissions service is down: otherwise the lost claim counts as
 * an attempt.
 */
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

/** Continues after a renewal without a response, because the next renewal may succeed. */
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
      err => log.warn({ err }, 'A claim could not be renewed; the next renewal retries'),
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
