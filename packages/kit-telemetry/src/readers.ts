import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { AggregationTemporality, InstrumentType, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';

/**
 * A gauge reports only the series that were observed for this collection. With cumulative temporality, the default of
 * the exporters, the SDK would repeat the last value of a series forever. An example is the series of a lease that
 * another process now holds, or a consumer that has left.
 */
const temporalityOf = (type: InstrumentType, others: AggregationTemporality): AggregationTemporality =>
  type === InstrumentType.OBSERVABLE_GAUGE ? AggregationTemporality.DELTA : others;

/** Sends metrics at an interval. */
export class PushReader extends PeriodicExportingMetricReader {
  override selectAggregationTemporality(type: InstrumentType): AggregationTemporality {
    return temporalityOf(type, super.selectAggregationTemporality(type));
  }
}

/** Answers the scrapes of Prometheus. */
export class ScrapeReader extends PrometheusExporter {
  override selectAggregationTemporality(type: InstrumentType): AggregationTemporality {
    return temporalityOf(type, super.selectAggregationTemporality(type));
  }
}
