import type { Signals } from './settings.ts';

let sent: Signals = { traces: false, metrics: false, logs: false };

/** Returns whether metrics are sent. Otherwise, figures that cost a query are not read. */
export const isMeasured = (): boolean => sent.metrics;

export const isTraced = (): boolean => sent.traces;

/**
 * Called once, when the SDK starts. This function is not in metrics.ts, because the instruments there must be made
 * after the start.
 */
export function startSending(signals: Signals): void {
  sent = signals;
}
