import { AsyncLocalStorage } from 'node:async_hooks';
import { bounded } from '@recording-request/kit/bounds';
import { QueueFullError } from '@recording-request/kit/fair-slots';
import type { ClaimedDelivery } from '../domain/delivery.ts';
import { type AttemptResult, type DeliverDeps, deliver, leaseMs, type TargetWithEndpoint } from './deliver.ts';
import { createEndpointLimiter, type EndpointName, type Permit } from './endpoint-limiter.ts';

/** A place among the attempts at once. Disposing gives it back where nothing was sent. */
export interface Place extends Disposable {
  /** Sends a delivery that the caller has claimed. Does not wait for the result. */
  send(delivery: ClaimedDelivery, known: TargetWithEndpoint | undefined): void;
}

export interface Dispatcher {
  /** Begins to poll the ledger for deliveries that are due. */
  start(): void;
  /** Takes a place for a delivery to a project's endpoint, so that it can be recorded as claimed; undefined when there is none. */
  reserve(endpoint: EndpointName): Place | undefined;
  /** Sends a delivery that is due at once if the limits allow it; otherwise when they do. */
  offer(delivery: EndpointName & { id: string }): void;
  /** Sends a delivery that the caller has claimed, whatever the limits, and waits for the result. */
  sendNow(delivery: ClaimedDelivery, known: TargetWithEndpoint | undefined): Promise<AttemptResult>;
  /** Polls the ledger now. */
  wake(): void;
  /** Starts no more attempts, waits up to `stopMs` for the running ones, then aborts them so that another process makes them. */
  stop(): Promise<void>;
}

const ABORT_MS = 3_000;

/**
 * Sends what is due. The ledger is the truth: a poll, triggered by new deliveries and at the latest after `pollMs`, finds
 * for each endpoint whether its first delivery is due, so that one endpoint's thousands do not hide another's one.
 */
export function createDispatcher(deps: DeliverDeps): Dispatcher {
  const { config, log, clock } = deps;
  const { queue } = deps.store;
  const limiter = createEndpointLimiter({ total: config.concurrency, perEndpoint: config.endpointConcurrency });
  // Attempts outlive the RPC or event that triggered them: they must not inherit its deadline, cancellation or trace.
  const outside = AsyncLocalStorage.snapshot();
  const aborting = new AbortController();
  const stopping = new AbortController();
  const running = new Set<Promise<unknown>>();
  /** The projects whose endpoints wait for their turn. */
  const waiting = new Set<string>();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;
  let pollAgain = false;

  const track = <T>(work: Promise<T>): Promise<T> => {
    const kept: Promise<unknown> = work.catch(() => {}).finally(() => running.delete(kept));
    running.add(kept);
    return work;
  };

  /** Sends a claimed delivery, or claims one or the first due one of an endpoint; then those that waited for its permit. */
  function launch(
    which: ClaimedDelivery | (EndpointName & { id?: string }),
    permit: Permit,
    known?: TargetWithEndpoint,
  ) {
    const endpoint = { ownerId: which.ownerId, projectId: which.projectId };
    const work = async () => {
      let result: AttemptResult = {};
      let more = false;
      try {
        const delivery = 'lease' in which ? which : await queue.claim(which, leaseMs(config));
        if (!delivery) return;
        // Where one is due, the next one of the same endpoint may be due as well.
        if (!('id' in which)) sendNext(endpoint);
        more = !('id' in which);
        result = await deliver(deps, delivery, aborting.signal, known);
      } finally {
        giveBack(endpoint, permit, { ...result, more });
      }
    };
    track(work()).catch(error => log.warn({ err: error }, 'A delivery will be tried again when its lease expires'));
  }

  function giveBack(endpoint: EndpointName, permit: Permit, result: AttemptResult & { more?: boolean }): void {
    const wasRefused = permit.release(result.health);
    if (result.more || wasRefused) sendNext(endpoint);
    if (result.resumed) wake();
  }

  /** Sends the first due delivery of an endpoint when it is its owner's turn. One that finds the queue full is found by a later poll. */
  function sendNext(endpoint: EndpointName): void {
    const { projectId } = endpoint;
    if (stopped || waiting.has(projectId)) return;
    waiting.add(projectId);
    limiter
      .acquire(endpoint, stopping.signal)
      .finally(() => waiting.delete(projectId))
      .then(permit => {
        if (permit && stopped) permit.release();
        else if (permit) launch(endpoint, permit);
      })
      .catch(error => {
        if (!stopped && !(error instanceof QueueFullError)) log.warn({ err: error }, 'An endpoint had no turn');
      });
  }

  /** Sends what is due, and returns in how many milliseconds to poll again. */
  async function poll(): Promise<number> {
    const now = clock.now().getTime();
    let nextMs = config.pollMs;
    for (const { nextAt, ...endpoint } of await queue.firstDue()) {
      const inMs = nextAt.getTime() - now;
      if (inMs <= 0) sendNext(endpoint);
      else nextMs = Math.min(nextMs, inMs);
    }
    return nextMs;
  }

  function wake(): void {
    if (stopped) return;
    if (polling) {
      pollAgain = true;
      return;
    }
    clearTimeout(timer);
    pollAgain = false;
    polling = outside(poll)
      .catch(error => {
        log.warn({ err: error }, 'What is due could not be read');
        return config.pollMs;
      })
      .then(nextMs => {
        polling = undefined;
        if (stopped) return;
        if (pollAgain) wake();
        else timer = setTimeout(wake, nextMs);
      });
  }

  return {
    start: () => outside(wake),
    reserve({ ownerId, projectId }) {
      const endpoint = { ownerId, projectId };
      const permit = stopped ? undefined : limiter.tryAcquire(endpoint);
      if (!permit) return undefined;
      let isUsed = false;
      return {
        send(delivery, known) {
          isUsed = true;
          outside(launch, delivery, permit, known);
        },
        [Symbol.dispose]() {
          if (!isUsed) outside(giveBack, endpoint, permit, {});
        },
      };
    },
    offer({ id, ownerId, projectId }) {
      const endpoint = { ownerId, projectId };
      const permit = stopped ? undefined : limiter.tryAcquire(endpoint);
      if (permit) outside(launch, { id, ...endpoint }, permit);
      else outside(sendNext, endpoint);
    },
    sendNow: (delivery, known) => track(outside(deliver, deps, delivery, aborting.signal, known)),
    wake,
    async stop() {
      stopped = true;
      stopping.abort(new Error('the service stops'));
      limiter.endReport();
      clearTimeout(timer);
      await polling;
      const finished = () => Promise.all([...running]);
      await bounded(finished(), config.stopMs, 'sending').catch(() => aborting.abort(new Error('the service stops')));
      await bounded(finished(), ABORT_MS, 'aborting').catch(error => log.warn({ err: error }, 'Not all was sent'));
    },
  };
}
