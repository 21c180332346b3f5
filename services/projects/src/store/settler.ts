import type { Logger } from '@recording-request/kit/log';
import { createSoonestTimer } from '@recording-request/kit/soonest-timer';
import type { TransferRef, TransferSteps } from './transfer-steps.ts';

/**
 * Collects transfers that have been applied to their links. A moment later, runs steps 3 and 4 for many of them
 * together. So a claim on a contended link costs one update of the link instead of two. The sweeper finishes any
 * transfers left after a crash.
 */
export class Settler {
  readonly #steps: TransferSteps;
  readonly #log: Logger;
  #waiting: TransferRef[] = [];
  readonly #timer = createSoonestTimer(() => void this.flush());
  #running: Promise<void> = Promise.resolve();

  constructor(steps: TransferSteps, log: Logger) {
    this.#steps = steps;
    this.#log = log;
  }

  /** Settles this transfer, and those added before it, within `delayMs`. */
  add(applied: TransferRef, delayMs: number): void {
    this.#waiting.push(applied);
    this.#timer.in(delayMs);
  }

  /** Resolves when all transfers added so far are settled. Never rejects. */
  flush(): Promise<void> {
    this.#timer.cancel();
    this.#running = this.#running.then(() => this.#settleAll());
    return this.#running;
  }

  async #settleAll(): Promise<void> {
    const batch = this.#waiting;
    if (batch.length === 0) return;
    this.#waiting = [];
    try {
      await settle(this.#steps, batch);
    } catch (error) {
      this.#log.warn(
        { err: error, transfers: batch.length },
        'Transfers could not be settled; the sweeper settles them',
      );
    }
  }
}

/** Runs steps 3 and 4 for transfers that have been applied to their links. */
async function settle(steps: TransferSteps, batch: TransferRef[]): Promise<void> {
  const byLink = Map.groupBy(await steps.drop(batch), ref => ref.linkId);
  await Promise.all(
    [...byLink.values()].map(refs =>
      steps.forgetOnLink(
        refs[0]!,
        refs.map(ref => ref.transferId),
      ),
    ),
  );
}
