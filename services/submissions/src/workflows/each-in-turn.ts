import { isOutage } from '@recording-request/kit/outage';

/**
 * Runs `work` for each item, `atOnce` at a time, and returns the results. An item that fails keeps no other from its
 * turn: its failure is thrown at the end, several as an AggregateError. At a failure that `endsAt` accepts, which the
 * others would meet too, the rest is left, and that one alone is thrown: what failed before fails again in a later turn.
 */
export async function eachInTurn<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  { atOnce = 1, endsAt = isOutage }: { atOnce?: number; endsAt?: (error: unknown) => boolean } = {},
): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  for (let at = 0; at < items.length; at += atOnce) {
    const outcomes = await Promise.allSettled(items.slice(at, at + atOnce).map(item => work(item)));
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') results.push(outcome.value);
      else if (endsAt(outcome.reason)) throw outcome.reason;
      else failures.push(outcome.reason);
    }
  }
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} of ${items.length} failed`);
  for (const failure of failures) throw failure;
  return results;
}
