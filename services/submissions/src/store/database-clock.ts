import { type Clock, createClock } from '@recording-request/kit-mongo/clock';
import type { Connection } from 'mongoose';

const REFRESH_MS = 30_000;

type ReadClock = Clock & { refresh(): Promise<void> };
const clocks = new WeakMap<Connection, { reading: Promise<ReadClock>; at: number }>();

/**
 * Returns the time of the database's clock. Reads that clock every 30 s. The clocks of processes may differ by seconds,
 * or by days if a clock is set wrong.
 */
export async function databaseNow({ db }: { db: Connection }): Promise<Date> {
  let clock = clocks.get(db);
  if (!clock || performance.now() - clock.at > REFRESH_MS) {
    clock = { reading: readAgain(db, clock?.reading), at: performance.now() };
    clocks.set(db, clock);
    clock.reading.catch(() => clocks.delete(db));
  }
  return (await clock.reading).now();
}

async function readAgain({ db }: Connection, last: Promise<ReadClock> | undefined): Promise<ReadClock> {
  if (!last) return await createClock(async () => (await db!.command({ hello: 1 })).localTime as Date);
  await (await last).refresh();
  return await last;
}
