import { every, type Stoppable } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import type { Store } from '../store/store.ts';

const TURN_MS = 60_000;
const BATCH = 500;
const DAY_MS = 86_400_000;

/** Forgets deliveries past their age; what is still to be sent stays, however old. Every process may do it. */
export function startForgetting(options: { store: Pick<Store, 'ledger'>; ledgerDays: number; log: Logger }): Stoppable {
  const { store, ledgerDays, log } = options;
  const turn = async () => {
    if (ledgerDays === 0) return;
    const forgotten = await store.ledger.forgetSettled(new Date(Date.now() - ledgerDays * DAY_MS), BATCH);
    if (forgotten > 0) log.info({ forgotten, ledgerDays }, 'Deliveries past their age were forgotten');
    if (forgotten === BATCH) loop.wake();
  };
  const loop = every(TURN_MS, turn, { log, name: 'deliveries past their age' });
  return loop;
}
