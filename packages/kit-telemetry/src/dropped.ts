import { createNoopMeter, type MeterProvider } from '@opentelemetry/api';
import type { Signal } from './settings.ts';

const counts: Partial<Record<Signal, number>> = {};

/** Returns how many records of a signal did not reach the collector. */
export const droppedOf = (signal: Signal): number => counts[signal] ?? 0;

/** Counts records that did not reach the collector. */
export function noteDropped(signal: Signal, count: number): void {
  counts[signal] = droppedOf(signal) + count;
}

/**
 * Returns a meter provider that counts the records that a batch processor of the SDK dropped or could not send. The
 * processor marks both with an `error.type`. This function is not in metrics.ts, because the instruments there must not
 * be made before the SDK starts.
 */
export function dropMeter(signal: Signal): MeterProvider {
  const add = (count: number, attributes?: Record<string, unknown>) => {
    if (attributes?.['error.type']) noteDropped(signal, count);
  };
  const meter = Object.assign(Object.create(createNoopMeter()), { createCounter: () => ({ add }) });
  return { getMeter: () => meter };
}
