import { AggregationTemporality, InstrumentType, MetricReader } from '@opentelemetry/sdk-metrics';

/**
 * Has every reader of metrics tell of a gauge what was observed for this collection alone. With cumulative temporality, which
 * exporters ask for, the SDK repeats the last value of a series for ever, also of what is gone: of a lease that another process
 * has, of a consumer that has left. A gauge on the wire has no temporality, so that nothing else changes. There is no option for it.
 */
export function endGauges(): void {
  const { prototype } = MetricReader;
  const select = prototype.selectAggregationTemporality;
  prototype.selectAggregationTemporality = function (type) {
    return type === InstrumentType.OBSERVABLE_GAUGE ? AggregationTemporality.DELTA : select.call(this, type);
  };
}
