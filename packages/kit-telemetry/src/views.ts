import { AggregationType, type ViewOptions } from '@opentelemetry/sdk-metrics';
import { METER } from '@recording-request/telemetry-registry/metric';
import { METRICS, type MetricDefinition } from '@recording-request/telemetry-registry/metrics';

// The SDK counts what is beyond in one series, `otel.metric.overflow`.
const SERIES = 2_000;

/**
 * What the libraries measure beyond the registry. Never all names at once: a metric that two views match has one storage, into which the
 * SDK records twice.
 */
const OTHERS: ViewOptions[] = [
  { meterName: '@opentelemetry/instrumentation-undici', instrumentName: '*' },
  { instrumentName: 'otel.*' },
];

/**
 * Lets out the metrics of the registry and those of Node, and nothing else, whatever a library notes. That a metric has no other attributes than
 * the registry lists is for the compiler, and for the live check of a running system: a list of them would be gone through for each request.
 */
export function views(): ViewOptions[] {
  const listed = Object.entries<MetricDefinition>(METRICS).map(
    ([instrumentName, { buckets }]): ViewOptions => ({
      instrumentName,
      // A library that measures the same by the same name would be taken for ours.
      meterName: METER,
      aggregationCardinalityLimit: SERIES,
      ...(buckets && {
        aggregation: { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries: [...buckets] } },
      }),
    }),
  );
  const node = ['nodejs.*', 'v8js.*'].map((instrumentName): ViewOptions => ({ instrumentName }));
  const others = OTHERS.map((selector): ViewOptions => ({ ...selector, aggregation: { type: AggregationType.DROP } }));
  return [...listed, ...node, ...others];
}
