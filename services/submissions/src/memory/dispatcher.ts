import { createSoonestTimer } from '@recording-request/kit/soonest-timer';

/** Wakes the loop that dispatches jobs, when there is one in this process. */
export interface Dispatcher {
  wake(): void;
  /** After `ms` at the latest; sooner where that was asked for. */
  wakeIn(ms: number): void;
  /** Soon: see LANDED_MS. */
  wakeAfterLanding(): void;
  /** What is to be woken, from now on. */
  onWake(wake: () => void): void;
}

/**
 * The answer to the last byte and the webhook are waited for at this moment, while media take ten times as long: they get the
 * processors first. What lands within this time is dispatched together.
 */
const LANDED_MS = 40;

export function createDispatcher(): Dispatcher {
  let listener = () => {};
  const later = createSoonestTimer(() => listener());
  return {
    wake: () => listener(),
    wakeIn: later.in,
    wakeAfterLanding: () => later.in(LANDED_MS),
    onWake(wake) {
      listener = wake;
    },
  };
}
