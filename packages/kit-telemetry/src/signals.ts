import type { Signals } from './settings.ts';

let sent: Signals = { traces: false, metrics: false, logs: false };

/** Whether somebody reads metrics: what costs a query is only then worth it. */
export const isMeasured = (): boolean => sent.metrics;

/** Whether somebody reads traces. */
export const isTraced = (): boolean => sent.traces;

/** Called once, by what starts the SDK: apart from metrics.ts, whose instruments must not be made before. */
export function startSending(signals: Signals): void {
  sent = signals;
}
