import { metrics } from '@opentelemetry/api';
import { METER } from '@recording-request/telemetry-registry/metric';
import {
  type AttributesOf,
  METRICS,
  type MetricDefinition,
  type MetricOf,
} from '@recording-request/telemetry-registry/metrics';

const meter = metrics.getMeter(METER);
// Longer than several intervals between reports. If a process stops reporting a value, the value disappears after this
// time instead of staying forever.
const REPORT_MS = 60_000;

/** Returns a function that records one duration, in seconds. */
export function durationOf<N extends MetricOf<'histogram'>>(
  name: N,
): (seconds: number, attributes: AttributesOf<N>) => void {
  const { unit, description, buckets } = METRICS[name] as MetricDefinition;
  const advice = { explicitBucketBoundaries: [...(buckets ?? [])] };
  const histogram = meter.createHistogram(name, { unit, description, advice });
  return (seconds, attributes) => histogram.record(seconds, attributes);
}

/** Returns a function that counts one occurrence, or several. */
export function countOf<N extends MetricOf<'counter'>>(name: N): (attributes: AttributesOf<N>, count?: number) => void {
  const { unit, description } = METRICS[name] as MetricDefinition;
  const counter = meter.createCounter(name, { unit, description });
  return (attributes, count = 1) => counter.add(count, attributes);
}

export interface Report<N extends MetricOf<'gauge'>> {
  (value: number, attributes: AttributesOf<N>): void;
  /** Drops the current value until the next report. */
  end(): void;
}

/** Returns a function that reports the current value. A value that is not reported again within a minute is dropped. */
export function reportOf<N extends MetricOf<'gauge'>>(name: N): Report<N> {
  const { unit, description } = METRICS[name] as MetricDefinition;
  const reported = new Map<string, { value: number; attributes: AttributesOf<N>; until: number }>();
  meter.createObservableGauge(name, { unit, description }).addCallback(result => {
    for (const [key, { value, attributes, until }] of reported)
      if (performance.now() < until) result.observe(value, attributes);
      else reported.delete(key);
  });
  const report = (value: number, attributes: AttributesOf<N>) => {
    reported.set(JSON.stringify(attributes), { value, attributes, until: performance.now() + REPORT_MS });
  };
  return Object.assign(report, { end: () => reported.clear() });
}

type Reading<N extends MetricOf<'gauge' | 'counter'>> = readonly [value: number, attributes: AttributesOf<N>];
const readers = new Map<string, Set<() => Iterable<Reading<never>> | Promise<Iterable<Reading<never>>>>>();

/**
 * Calls `read` each time metrics are collected. For a counter, `read` returns the sum so far. Adds up readings with the
 * same attributes, for example of several instances. Ignores a failed `read`. Returns a function that stops the calls.
 */
export function observe<N extends MetricOf<'gauge' | 'counter'>>(
  name: N,
  read: () => Iterable<Reading<N>> | Promise<Iterable<Reading<N>>>,
): () => void {
  let set = readers.get(name) as Set<typeof read> | undefined;
  if (!set) {
    set = new Set();
    readers.set(name, set as never);
    collect(name, set);
  }
  const readings = set;
  readings.add(read);
  return () => void readings.delete(read);
}

function collect<N extends MetricOf<'gauge' | 'counter'>>(
  name: N,
  set: ReadonlySet<() => Iterable<Reading<N>> | Promise<Iterable<Reading<N>>>>,
): void {
  const { kind, unit, description } = METRICS[name] as MetricDefinition;
  const instrument =
    kind === 'counter'
      ? meter.createObservableCounter(name, { unit, description })
      : meter.createObservableGauge(name, { unit, description });
  instrument.addCallback(async result => {
    const sums = new Map<string, { value: number; attributes: AttributesOf<N> }>();
    for (const read of set)
      for (const [value, attributes] of await attempt(read)) {
        const key = JSON.stringify(attributes);
        sums.set(key, { value: value + (sums.get(key)?.value ?? 0), attributes });
      }
    for (const { value, attributes } of sums.values()) result.observe(value, attributes);
  });
}

async function attempt<T>(read: () => Iterable<T> | Promise<Iterable<T>>): Promise<Iterable<T>> {
  try {
    return await read();
  } catch {
    return [];
  }
}

/** Returns the seconds since `startedAt`, a time of `performance.now()`. */
export const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1_000;
