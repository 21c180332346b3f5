import { type Attributes, type Counter, createNoopMeter, type MeterProvider, metrics } from '@opentelemetry/api';
import type { Signal } from './settings.ts';

const NAME = 'recording.telemetry.dropped';

let counter: Counter | undefined;

/** Begins to count what is dropped, at 0 for each of `signals`. Called once the SDK has started. */
export function countDropped(signals: readonly Signal[]): void {
  const description = 'Spans, points and log records that a full queue, or a collector that was away, has lost.';
  counter = metrics.getMeter('recording-request').createCounter(NAME, { unit: '{record}', description });
  for (const signal of signals) counter.add(0, { 'recording.signal': signal });
}

/** Returns what the SDK notes its own work with: of that, what was lost is counted as `signal`'s. */
export function dropMeter(signal: Signal): MeterProvider {
  const meter = createNoopMeter();
  meter.createCounter = <T extends Attributes>(): Counter<T> => ({
    add(count, attributes) {
      if (attributes?.['error.type'] !== undefined) counter?.add(count, { 'recording.signal': signal });
    },
  });
  return { getMeter: () => meter };
}
