import { AsyncLocalStorage } from 'node:async_hooks';
import { bounded } from '@recording-request/kit/bounds';
import { QueueFullError } from '@recording-request/kit/fair-slots';
import type { ClaimedDelivery } from '../domain/delivery.ts';
import { type AttemptResult, type DeliverDeps, deliver, leaseMs, type TargetWithEndpoint } from './deliver.ts';
import { createEndpointLimiter, type EndpointName, type Permit } from './endpoint-limiter.ts';
import { createEndpointTurns } from './endpoint-turns.ts';

/** A reserved slot for an attempt. Disposing it releases the slot if nothing was sent. */
export interface Place extends Disposable {
  /** Sends a delivery that the caller has claimed. Does not wait for the result. */
  send(delivery: ClaimedDelivery, known: TargetWithEndpoint | undefined): void;
}

export interface Dispatcher {
  /** Starts to poll the ledger for due deliveries, and the record that pauses all deliveries. */
  start(): void;
  /**
   * Reserves a slot for a project's endpoint, so that the delivery can be recorded as claimed; undefined when no slot
   * is free.
   */
  reserve(endpoint: EndpointName): Place | undefined;
  /** Sends a due delivery at once if the limits allow it, otherwise as soon as they do. */
  offer(delivery: EndpointName & { id: string }): void;
  /** Sends a delivery that the caller has claimed, without regard to the limits, and waits for the result. */
  sendNow(delivery: ClaimedDelivery, known: TargetWithEndpoint | undefined): Promise<AttemptResult>;
  wake(): void;
  /**
   * Starts no more attempts, and waits up to `stopMs` for the running ones. Then aborts them, so that another process
   * sends their deliveries.
   */
  stop(): Promise<void>;
}

const ABORT_MS = 3_000;

/**
 * Sends due deliveries. The ledger is the source of truth: the service polls it after new deliveries and at least every
 * `pollMs`. A poll reads the first due delivery of each endpoint, so thousands of deliveries to one endpoint do not
 * hide a single delivery to another.
 */
export function createDispatcher(given: Omit<DeliverDeps, 'turns'>): Dispatcher {
  const { config, log, clock, sending } = given;
  const { queue, endpoints } = given.store;
  const turns = createEndpointTurns({ clock, log, endpoints, everyMs: config.pollMs });
  const deps: DeliverDeps = { ...given, turns };
  const limiter = createEndpointLimiter({ total: config.concurrency, perEndpoint: config.endpointConcurrency });
  // Attempts outlast the RPC or event that triggered them, so they must not inherit its deadline, cancellation or
  // trace.
  const outside = AsyncLocalStorage.snapshot();
  const aborting = new AbortController();
  const stopping = new AbortController();
  const running = new Set<Promise<unknown>>();
  /** The projects whose endpoints wait for a permit. */
  const waiting = new Set<string>();
  let stopped = false;
  /** Returns whether no attempt may start, because the process stops or the operator has paused all deliveries. */
  const isHalted = () => stopped || sending.current().isPaused;
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;
  let pollAgain = false;

  const track = <T>(work: Promise<T>): Promise<T> => {
    const kept: Promise<unknown> = work.catch(() => {}).finally(() => running.delete(kept));
    running.add(kept);
    return work;
  };

  /**
   * Sends a claimed delivery; or claims a delivery (the given one, or else the first due one) and sends it. Then starts
   * the deliveries that waited for its permit.
   */
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
        // The same endpoint may have other due deliveries.
        if (!('id' in which)) sendNext(endpoint);
        more = !('id' in which);
        result = await deliver(deps, delivery, aborting.signal, known);
      } finally {
        giveBack(endpoint, permit, { ...result, more });
      }
    };
    track(work()).catch(error =>
      log.warn({ err: error }, 'A delivery failed; it will be retried when its lease expires'),
    );
  }

  function giveBack(endpoint: EndpointName, permit: Permit, result: AttemptResult & { more?: boolean }): void {
    const wasRefused = permit.release(result.health);
    if (wasRefused) turns.freed(endpoint.projectId);
    if (result.more || wasRefused) sendNext(endpoint);
    if (result.resumed) wake();
  }

  /**
   * Sends the first due delivery of an endpoint when the owner's turn comes. If the queue is full, a later poll finds
   * the delivery.
   */
  function sendNext(endpoint: EndpointName): void {
    const { projectId } = endpoint;
    if (isHalted() || waiting.has(projectId)) return;
    waiting.add(projectId);
    limiter
      .acquire(endpoint, stopping.signal)
      .finally(() => waiting.delete(projectId))
      .then(permit => {
        if (permit && isHalted()) permit.release();
        else if (permit) launch(endpoint, permit);
      })
      .catch(error => {
        if (!stopped && !(error instanceof QueueFullError))
          log.warn({ err: error }, 'An endpoint got no permit; a later poll retries it');
      });
  }

  /** Sends due deliveries and returns the milliseconds until the next poll. */
  async function poll(): Promise<number> {
    await sending.refresh();
    if (isHalted()) return config.pollMs;
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
        log.warn({ err: error }, 'The due deliveries could not be read; the next poll retries');
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
      const permit = isHalted() ? undefined : limiter.tryAcquire(endpoint);
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
      const permit = isHalted() ? undefined : limiter.tryAcquire(endpoint);
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
      await bounded(finished(), ABORT_MS, 'aborting').catch(error =>
        log.warn({ err: error }, 'Some attempts did not end before the stop; their leases expire'),
      );
    },
  };
}
