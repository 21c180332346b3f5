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

/** Takes jobs at the submissions service, so that one process at a time works on each. */
export interface JobClaims extends Disposable {
  /** Begins the next job of a kind. Undefined when there is none. */
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
   * Runs `work`. A job that it fails to end is given back, and waits again. The signal of `work` fires with `signal`, and when the
   * claim is lost.
   */
  run(options: RunOptions, work: Work): Promise<void>;
}

const CALL_MS = 10_000;
const RENEWALS_A_LEASE = 3;
const GIVE_BACK_TRIES = 6;
// The server takes no longer one either.
const PAUSE_MAX_MS = 60 * 60_000;

type WorkClient = ClientOf<WorkServiceServer>;

/** Opens a client of the submissions service at `target` (`host:port`). */
export function createJobClaims(target: string, peer: Peer): JobClaims {
  const client = createClient<WorkServiceServer>(WorkServiceService, target, peer, { deadlineMs: CALL_MS, mayRepeat });
  // Runs that may have begun, as the answer did not come: a later call asks as the same run. One of each slot at most.
  const unanswered: string[] = [];
  return {
    async take(kind) {
      const earlier = unanswered.pop();
      const holder = earlier ?? uuidv7();
      // Asked again and again, mostly in vain: traces of that would bury those of clips.
      const asked = unsampled(() => client.takeJob({ kind, holder, again: earlier !== undefined }));
      const { job, leaseMs, ...rest } = await asked.catch(error => {
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
    // What fails here is found by the result itself, or at the deadline.
    await client.renewJob({ ...claim, reported: true }).catch(() => {});
  } catch (error) {
    const line = { err: error, ms: Math.round(performance.now() - startedAt) };
    if (lost.signal.aborted) return log.warn(line, 'A job was left: it has ended, or another process has it');
    const atOnce = signal.aborted && !isTimeLimit(signal);
    await giveBack(client, { ...claim, atOnce, ...described(error, atOnce) });
    if (atOnce) log.info(line, 'A job is given back, as this process stops');
    else log.warn(line, 'A job is given back');
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
