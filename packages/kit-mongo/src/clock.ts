import { every } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import type { Connection } from 'mongoose';

/*
 * Processes on different machines use the time of their database, in one of two ways. For leases, the server compares
 * times itself: it evaluates `serverTime` and `hasPassed` inside the update. All other times come from a Clock, which
 * follows the server's clock.
 */

/** A clock for the times that records store, and for comparisons with those times. */
export interface Clock {
  now(): Date;
}

export interface DatabaseClock extends Clock {
  stop(): Promise<void>;
}

/** An expression for an update with a pipeline: the server's time plus `plusMs`. */
export const serverTime = (plusMs = 0) => (plusMs === 0 ? '$$NOW' : { $add: ['$$NOW', plusMs] });

/** Query fields for a date that is set and has passed by the server's clock. A query cannot have another `$expr`. */
export const hasPassed = (field: string) => ({
  [field]: { $type: 'date' as const },
  $expr: { $lte: [`$${field}`, '$$NOW'] },
});

/**
 * One reading: the server's clock showed `shownMs` when this process's counter was `atTicks`, or up to `behindMs`
 * earlier.
 */
interface Reading {
  shownMs: number;
  atTicks: number;
  behindMs: number;
}

// The number of readings: the quickest one is the most exact.
const ASKS = 3;
// The largest assumed drift between the monotonic counters of two machines.
const DRIFT = 0.0005;
const REFRESH_MS = 30_000;
const NOTABLE_MS = 2_000;

async function read(ask: () => Promise<Date>, ticks: () => number): Promise<Reading> {
  const sentAt = ticks();
  const shown = await ask();
  const answeredAt = ticks();
  return { shownMs: shown.getTime(), atTicks: answeredAt, behindMs: answeredAt - sentAt };
}

/**
 * Returns a clock that follows the clock that `ask` reads. Between readings it advances by `ticks` (milliseconds),
 * which do not change when this machine's clock is set. It may be behind by the duration of one `ask`, and it is never
 * ahead: anything due by this clock is due for the server. `refresh` ignores a reading that is less exact than the
 * current one, so a late answer of a suspended server does not move the clock.
 */
export async function createClock(
  ask: () => Promise<Date>,
  ticks: () => number = () => performance.now(),
): Promise<Clock & { refresh(): Promise<void> }> {
  async function quickest(): Promise<Reading> {
    const readings: Reading[] = [];
    while (readings.length < ASKS) readings.push(await read(ask, ticks));
    return readings.reduce((best, one) => (one.behindMs <= best.behindMs ? one : best));
  }
  let reading = await quickest();
  return {
    now: () => new Date(reading.shownMs + (ticks() - reading.atTicks) * (1 - DRIFT)),
    async refresh() {
      const fresh = await quickest();
      const uncertainMs = reading.behindMs + (fresh.atTicks - reading.atTicks) * 2 * DRIFT;
      if (fresh.behindMs <= uncertainMs) reading = fresh;
    },
  };
}

/**
 * Returns the clock of the database's primary, which it reads now and every 30 s. While the database does not respond,
 * the clock continues from the last reading. Rejects if the first reading fails.
 */
export async function followDatabase(connection: Connection, log: Logger): Promise<DatabaseClock> {
  const clock = await createClock(async () => (await connection.db!.admin().command({ hello: 1 })).localTime as Date);
  let loggedMs = 0;
  const refresh = async () => {
    await clock.refresh();
    const aheadMs = Date.now() - clock.now().getTime();
    if (Math.abs(aheadMs - loggedMs) < NOTABLE_MS) return;
    loggedMs = aheadMs;
    log.warn({ aheadMs }, "This machine's clock differs from the database's, which is used: set the machine's clock");
  };
  const loop = every(REFRESH_MS, refresh, { log, name: "the database's clock" });
  return { now: clock.now, stop: loop.stop };
}
