import { every, type Stoppable } from '@recording-request/kit/lifecycle';
import type { Context } from '../context.ts';

const INTERVAL_MS = 60_000;
const BATCH = 500;
const DAY_MS = 86_400_000;

/** Deletes settled deliveries older than `ledgerDays`, and events of the feeds older than `feedDays`. Every process may run it. */
export function startRetention({
  config,
  log,
  clock,
  store,
}: Pick<Context, 'config' | 'log' | 'clock' | 'store'>): Stoppable {
  const { ledgerDays, feedDays } = config;
  const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS);
  const deleteExpired = async () => {
    const events = await store.feed.deleteOld(daysAgo(feedDays), BATCH);
    if (events > 0) log.info({ deleted: events, feedDays }, 'Old events of the feeds were deleted');
    const deliveries = ledgerDays === 0 ? 0 : await store.ledger.deleteSettled(daysAgo(ledgerDays), BATCH);
    if (deliveries > 0) log.info({ deleted: deliveries, ledgerDays }, 'Old deliveries were deleted');
    if (events >= BATCH || deliveries === BATCH) loop.wake();
  };
  const loop = every(INTERVAL_MS, deleteExpired, { log, name: 'deliveries and events past their age' });
  return loop;
}
