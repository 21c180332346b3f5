import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  type DataPoint,
  InstrumentType,
  MeterProvider,
  MetricReader,
} from '@opentelemetry/sdk-metrics';

/** The metrics of the test's process. */
export interface Measured extends AsyncDisposable {
  /** Returns the series of a metric. The value of a histogram is the number of its durations, `sum` their sum. */
  seriesOf(name: string): Promise<Array<{ attributes: Record<string, unknown>; value: number; sum?: number }>>;
}

class OnDemand extends MetricReader {
  // Like the reader of a service, reports only the current series of a gauge.
  override selectAggregationTemporality(type: InstrumentType): AggregationTemporality {
    return type === InstrumentType.OBSERVABLE_GAUGE ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE;
  }
  protected onForceFlush = async () => {};
  protected onShutdown = async () => {};
}

/**
 * Collects metrics. Import the code under test dynamically after this call, because modules create their instruments
 * when they load.
 */
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
        .flatMap(metric => metric.dataPoints as DataPoint<number | { count: number; sum: number }>[])
        .map(({ attributes, value }) =>
          typeof value === 'number' ? { attributes, value } : { attributes, value: value.count, sum: value.sum },
        );
    },
    [Symbol.asyncDispose]: () => provider.shutdown(),
  };
}
