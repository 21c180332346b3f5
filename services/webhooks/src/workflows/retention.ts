import { every, type Stoppable } from '@recording-request/kit/lifecycle';
import type { Context } from '../context.ts';

const INTERVAL_MS = 60_000;
const BATCH = 500;
const DAY_MS = 86_400_000;

/** Deletes settled deliveries older than `ledgerDays`. Every process may run it. */
export function startRetention({
  config,
  log,
  clock,
  store,
}: Pick<Context, 'config' | 'log' | 'clock' | 'store'>): Stoppable {
  const { ledgerDays } = config;
  const deleteExpired = async () => {
    if (ledgerDays === 0) return;
    const deleted = await store.ledger.deleteSettled(new Date(clock.now().getTime() - ledgerDays * DAY_MS), BATCH);
    if (deleted > 0) log.info({ deleted, ledgerDays }, 'Old deliveries were deleted');
    if (deleted === BATCH) loop.wake();
  };
  const loop = every(INTERVAL_MS, deleteExpired, { log, name: 'deliveries past their age' });
  return loop;
}
