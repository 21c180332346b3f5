import { every, type Stoppable, stopAll } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import type { Report } from '@recording-request/kit-telemetry/metrics';
import type { Connection } from 'mongoose';
import { createLease } from './lease.ts';

export interface FiguresOptions {
  connection: Connection;
  /** The interval of the readings, in seconds. */
  seconds: number;
  log: Logger;
  /**
   * The parts of a reading. They run concurrently, so that a part that waits for a server does not delay the others. A
   * failed part is retried at the next turn.
   */
  parts: Record<string, () => Promise<void>>;
  /** The reports that the parts fill. */
  reports: readonly Report<never>[];
}

/**
 * Lets one process of a service run the queries for metrics. This process continues until it stops or loses the
 * database; then another process takes over. The first process then drops its values, so that two processes never
 * report different values.
 */
export function startFigures({ connection, seconds, log, parts, reports }: FiguresOptions): Stoppable {
  const ms = seconds * 1_000;
  const lease = createLease(connection, 'figures', 2 * ms);
  let heldUntil = 0;
  const hold = async () => {
    const startedAt = performance.now();
    heldUntil = (await lease.hold()) ? startedAt + 2 * ms : 0;
    if (heldUntil === 0) forget();
  };
  const forget = () => {
    for (const report of reports) report.end();
  };
  const isHeld = () => performance.now() < heldUntil;
  const holding = every(ms, hold, { log, name: 'lease of the readings' });
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
