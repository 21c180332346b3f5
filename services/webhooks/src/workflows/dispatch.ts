import { AsyncLocalStorage } from 'node:async_hooks';
import { bounded } from '@recording-request/kit/bounds';
import type { Logger } from '@recording-request/kit/log';
import type { Target } from '../adapters/targets.ts';
import type { ClaimedDelivery } from '../domain/delivery.ts';
import type { DeliveryQueue } from '../store/deliveries.ts';
import type { AttemptResult, RunAttempt } from './deliver.ts';
import type { Slot, Slots } from './endpoint-limiter.ts';

export interface Dispatcher {
  /** Sends a new delivery at once where a slot is free; else it is found when one is. */
  offer(delivery: { id: string; projectId: string }, target?: Target): void;
  /** Sends a delivery that the caller has claimed, past all slots, and waits for the result. */
  sendNow(delivery: ClaimedDelivery, target: Target): Promise<AttemptResult>;
  /** Looks for what is due. */
  wake(): void;
  /** Takes no more, waits up to `stopMs` for what is under way, then breaks it off for another process. */
  stop(): Promise<void>;
}

const BREAK_OFF_MS = 3_000;

/**
 * Sends what is due. The ledger is the truth: a look at it, woken by new deliveries and at the latest after `pollMs`,
 * finds for each endpoint whether its first delivery is due, so that one endpoint's thousands do not hide another's one.
 */
export function startDispatcher(deps: {
  queue: DeliveryQueue;
  slots: Slots;
  attempt: RunAttempt;
  leaseMs: number;
  pollMs: number;
  stopMs: number;
  log: Logger;
}): Dispatcher {
  const { queue, slots, attempt, leaseMs, pollMs, stopMs, log } = deps;
  // Attempts outlive the RPC or event that woke them: they must not inherit its deadline, cancellation or trace.
  const outside = AsyncLocalStorage.snapshot();
  const breakOff = new AbortController();
  const running = new Set<Promise<unknown>>();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let lookAgain = false;

  const claim = (which: { id: string } | { projectId: string }) => {
    const now = new Date();
    return queue.claim(which, now, new Date(now.getTime() + leaseMs));
  };
  const track = <T>(work: Promise<T>): Promise<T> => {
    const kept: Promise<unknown> = work.catch(() => {}).finally(() => running.delete(kept));
    running.add(kept);
    return work;
  };

  function launch(which: { id: string; projectId: string } | { projectId: string }, slot: Slot, target?: Target): void {
    const work = async () => {
      let result: AttemptResult = {};
      let more = false;
      try {
        const delivery = await claim('id' in which ? { id: which.id } : which);
        if (!delivery) return;
        // Whoever finds one due looks for the next of the same endpoint beside it.
        if (!('id' in which)) chain(which.projectId);
        more = !('id' in which);
        result = await attempt(delivery, breakOff.signal, target);
      } finally {
        const refused = slot.release(result.health);
        if (more || refused.same) chain(which.projectId);
        if (refused.others || result.resumed) wake();
      }
    };
    track(work()).catch(error => log.warn({ err: error }, 'A delivery will be tried again when its lease runs out'));
  }

  function chain(projectId: string): void {
    const slot = stopped ? undefined : slots.take(projectId);
    if (slot) launch({ projectId }, slot);
  }

  async function look(): Promise<number> {
    const now = Date.now();
    let nextMs = pollMs;
    for (const { projectId, nextAt } of await queue.firstDue()) {
      const inMs = nextAt.getTime() - now;
      if (inMs <= 0) chain(projectId);
      else nextMs = Math.min(nextMs, inMs);
    }
    return nextMs;
  }

  function wake(): void {
    if (stopped) return;
    if (looking) {
      lookAgain = true;
      return;
    }
    clearTimeout(timer);
    lookAgain = false;
    looking = outside(look)
      .catch(error => {
        log.warn({ err: error }, 'What is due could not be read');
        return pollMs;
      })
      .then(nextMs => {
        looking = undefined;
        if (stopped) return;
        if (lookAgain) wake();
        else timer = setTimeout(wake, nextMs);
      });
  }

  outside(wake);
  return {
    offer({ id, projectId }, target) {
      const slot = stopped ? undefined : slots.take(projectId);
      if (slot) outside(launch, { id, projectId }, slot, target);
    },
    sendNow: (delivery, target) => track(outside(attempt, delivery, breakOff.signal, target)),
    wake,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await looking;
      const finished = () => Promise.all([...running]);
      await bounded(finished(), stopMs, 'sending').catch(() => breakOff.abort(new Error('the service stops')));
      await bounded(finished(), BREAK_OFF_MS, 'breaking off').catch(error =>
        log.warn({ err: error }, 'Not all was sent'),
      );
    },
  };
}
