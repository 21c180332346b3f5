import { metrics } from '@opentelemetry/api';
import { type DataPoint, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';

/** What the process of a test has measured. */
export interface Measured extends AsyncDisposable {
  /** The series of a metric: of a histogram, how many durations it has noted. */
  seriesOf(name: string): Promise<Array<{ attributes: Record<string, unknown>; value: number }>>;
}

class OnDemand extends MetricReader {
  protected onForceFlush = async () => {};
  protected onShutdown = async () => {};
}

/** Measures what is loaded after it, by a dynamic import: instruments are made when their module loads. */
export function startMeasured(): Measured {
  const reader = new OnDemand();
  const provider = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  return {
    async seriesOf(name) {
      const { resourceMetrics } = await reader.collect();
      const found = resourceMetrics.scopeMetrics.flatMap(scope => scope.metrics);
      return found
        .filter(metric => metric.descriptor.name === name)
        .flatMap(metric => metric.dataPoints as DataPoint<number | { count: number }>[])
        .map(({ attributes, value }) => ({ attributes, value: typeof value === 'number' ? value : value.count }));
    },
    [Symbol.asyncDispose]: () => provider.shutdown(),
  };
}
