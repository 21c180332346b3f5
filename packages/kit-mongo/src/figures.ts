import { every, type Stoppable, stopAll } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import type { Report } from '@recording-request/kit-telemetry/metrics';
import type { Connection } from 'mongoose';
import { createLease } from './lease.ts';

export interface FiguresOptions {
  connection: Connection;
  /** How often they are read, in seconds. */
  seconds: number;
  log: Logger;
  /** Read beside each other, so that one that waits for a server keeps no other back. What fails is read again at the next turn. */
  parts: Record<string, () => Promise<void>>;
  /** What the parts report. */
  reports: readonly Report<never>[];
}

/**
 * Has figures that cost a query read by one process of a service. The process that has begun goes on until it stops or is cut off
 * from the database, then another one takes over; it reports nothing of its own any more, so that no two tell different values.
 */
export function startFigures({ connection, seconds, log, parts, reports }: FiguresOptions): Stoppable {
  const ms = seconds * 1_000;
  const lease = createLease(connection, 'figures', 3 * ms);
  let heldUntil = 0;
  const hold = async () => {
    const asked = performance.now();
    heldUntil = (await lease.hold()) ? asked + 3 * ms : 0;
    if (heldUntil === 0) forget();
  };
  const forget = () => {
    for (const report of reports) report.end();
  };
  const isHeld = () => performance.now() < heldUntil;
  const holding = every(ms, hold, { log, name: 'lease of figures' });
  const loops = Object.entries(parts).map(([name, read]) =>
    every(
      ms,
      async () => {
        if (heldUntil === 0) await hold();
        if (isHeld()) await read();
        if (!isHeld()) forget();
      },
      { log, name: `figures of ${name}` },
    ),
  );
  return {
    wake: () => loops.forEach(loop => void loop.wake()),
    async stop() {
      await stopAll([holding, ...loops].map(loop => () => loop.stop()));
      forget();
      await lease.release().catch(() => {});
    },
  };
}
