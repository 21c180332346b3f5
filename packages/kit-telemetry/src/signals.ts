import type { Signals } from './settings.ts';

let sent: Signals = { traces: false, metrics: false, logs: false };

/** Returns whether metrics are sent. If not, services skip the queries that only metrics need. */
export const isMeasured = (): boolean => sent.metrics;

export const isTraced = (): boolean => sent.traces;

/**
 * Called once, when the SDK starts. This function is not in metrics.ts, because the instruments there must be made
 * after the start.
 */
export function startSending(signals: Signals): void {
  sent = signals;
}
