import { metrics } from '@opentelemetry/api';
import { type AttributesOf, METRICS, type MetricDefinition, type MetricOf } from './registry.ts';

const meter = metrics.getMeter('recording-request');
// Some turns of what reports; a process that no longer does says nothing, rather than what was true.
const REPORT_MS = 60_000;

/** Returns what notes one duration, in seconds. */
export function durationOf<N extends MetricOf<'histogram'>>(
  name: N,
): (seconds: number, attributes: AttributesOf<N>) => void {
  const { unit, description, buckets } = METRICS[name] as MetricDefinition;
  const advice = { explicitBucketBoundaries: [...(buckets ?? [])] };
  const histogram = meter.createHistogram(name, { unit, description, advice });
  return (seconds, attributes) => histogram.record(seconds, attributes);
}

/** Returns what counts one occurrence, or several. */
export function countOf<N extends MetricOf<'counter'>>(name: N): (attributes: AttributesOf<N>, count?: number) => void {
  const { unit, description } = METRICS[name] as MetricDefinition;
  const counter = meter.createCounter(name, { unit, description });
  return (attributes, count = 1) => counter.add(count, attributes);
}

/** Returns what reports the present value, which holds for a minute: by then it is reported again, or no longer by this process. */
export function reportOf<N extends MetricOf<'gauge'>>(name: N): (value: number, attributes: AttributesOf<N>) => void {
  const { unit, description } = METRICS[name] as MetricDefinition;
  const reported = new Map<string, { value: number; attributes: AttributesOf<N>; until: number }>();
  meter.createObservableGauge(name, { unit, description }).addCallback(result => {
    for (const [key, { value, attributes, until }] of reported)
      if (performance.now() < until) result.observe(value, attributes);
      else reported.delete(key);
  });
  return (value, attributes) => {
    reported.set(JSON.stringify(attributes), { value, attributes, until: performance.now() + REPORT_MS });
  };
}

/** Returns the seconds since `startedAt`, which is of `performance.now()`. */
export const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1_000;
