import type { Connection } from 'mongoose';
import { every } from './lifecycle.ts';
import type { Logger } from './log.ts';

/*
 * Processes on different machines agree on the time by asking their database, in one of two ways. Who has a lease is
 * decided by the server itself: `serverTime` and `hasPassed` are evaluated there, inside the update. All other times that
 * are stored or compared come from a Clock, which follows the server's.
 */

/** Tells the time by which records are made and judged. */
export interface Clock {
  now(): Date;
}

export interface DatabaseClock extends Clock {
  stop(): Promise<void>;
}

/** An expression for an update with a pipeline: the server's time, `plusMs` later. */
export const serverTime = (plusMs = 0) => (plusMs === 0 ? '$$NOW' : { $add: ['$$NOW', plusMs] });

/** A query for a date that is set and has passed by the server's clock. It replaces another `$expr` of the same query. */
export const hasPassed = (field: string) => ({
  [field]: { $type: 'date' as const },
  $expr: { $lte: [`$${field}`, '$$NOW'] },
});

/** What another clock showed when this process counted `atTicks`, within `errorMs`. */
interface Reading {
  shownMs: number;
  atTicks: number;
  errorMs: number;
}

// The quickest of a few answers says it best.
const ASKS = 3;
// Much more than any machine's counter drifts.
const DRIFT = 0.001;
const REFRESH_MS = 30_000;
const NOTABLE_MS = 2_000;

async function read(ask: () => Promise<Date>, ticks: () => number): Promise<Reading> {
  const asked = ticks();
  const shown = await ask();
  const answered = ticks();
  return { shownMs: shown.getTime(), atTicks: (asked + answered) / 2, errorMs: (answered - asked) / 2 };
}

/**
 * Returns a clock that follows the one that `ask` reads. Between two readings it goes by `ticks` (milliseconds), which
 * do not change when this machine's clock is set. The uncertainty of a reading grows with its age; a new one that is less
 * certain, because the server was slow to answer, is dropped.
 */
export async function createClock(
  ask: () => Promise<Date>,
  ticks: () => number = () => performance.now(),
): Promise<Clock & { refresh(): Promise<void> }> {
  async function quickest(): Promise<Reading> {
    const readings: Reading[] = [];
    while (readings.length < ASKS) readings.push(await read(ask, ticks));
    return readings.reduce((best, one) => (one.errorMs < best.errorMs ? one : best));
  }
  let reading = await quickest();
  return {
    now: () => new Date(reading.shownMs + ticks() - reading.atTicks),
    async refresh() {
      const fresh = await quickest();
      const uncertainMs = reading.errorMs + (fresh.atTicks - reading.atTicks) * DRIFT;
      if (fresh.errorMs <= uncertainMs) reading = fresh;
    },
  };
}

/**
 * Returns the clock of the database's primary, read now and every 30 s. While the database does not answer, it goes on
 * from the last reading. Fails where the first reading fails.
 */
export async function followDatabase(connection: Connection, log: Logger): Promise<DatabaseClock> {
  const clock = await createClock(async () => (await connection.db!.admin().command({ hello: 1 })).localTime as Date);
  let noted = 0;
  const refresh = async () => {
    await clock.refresh();
    const aheadMs = Date.now() - clock.now().getTime();
    if (Math.abs(aheadMs - noted) < NOTABLE_MS) return;
    noted = aheadMs;
    log.warn({ aheadMs }, "This machine's clock differs from the database's, which is used: set the machine's clock");
  };
  const loop = every(REFRESH_MS, refresh, { log, name: "the database's clock" });
  return { now: clock.now, stop: loop.stop };
}
