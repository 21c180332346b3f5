import { isOutage } from '@recording-request/kit/outage';

/**
 * Runs `work` for each item, `atOnce` items at a time, and returns the results. After a failure, still runs the other
 * items; then throws the failure, or an AggregateError for several. Throws at once if `stopsOn` accepts a failure,
 * because the other items would fail in the same way.
 */
export async function mapSettled<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  { atOnce = 1, stopsOn = isOutage }: { atOnce?: number; stopsOn?: (error: unknown) => boolean } = {},
): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  for (let at = 0; at < items.length; at += atOnce) {
    const outcomes = await Promise.allSettled(items.slice(at, at + atOnce).map(item => work(item)));
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') results.push(outcome.value);
      else if (stopsOn(outcome.reason)) throw outcome.reason;
      else failures.push(outcome.reason);
    }
  }
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} of ${items.length} failed`);
  for (const failure of failures) throw failure;
  return results;
}
