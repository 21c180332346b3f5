import { AggregationType, type ViewOptions } from '@opentelemetry/sdk-metrics';
import { METER } from '@recording-request/telemetry-registry/metric';
import { METRICS, type MetricDefinition } from '@recording-request/telemetry-registry/metrics';

// The maximum number of series per metric. The SDK puts further series into one series, `otel.metric.overflow`.
const SERIES = 2_000;

/**
 * Metrics of libraries that the registry does not list. The view does not match all meters (`*`), because the SDK
 * records a metric twice if two views match it.
 */
const OTHERS: ViewOptions[] = [
  { meterName: '@opentelemetry/instrumentation-undici', instrumentName: '*' },
  { instrumentName: 'otel.*' },
];

/**
 * Returns the views, which send only the metrics of the registry and the metrics of Node. The compiler and the test of
 * a running system check that a metric has only the attributes of the registry.
 */
export function views(): ViewOptions[] {
  const listed = Object.entries<MetricDefinition>(METRICS).map(
    ([instrumentName, { buckets }]): ViewOptions => ({
      instrumentName,
      // Names the meter, because a library may have a metric with the same name.
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
