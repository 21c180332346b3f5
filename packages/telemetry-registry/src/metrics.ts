import { CALLS } from './call-metrics.ts';
import type { MetricDefinition } from './metric.ts';
import { PIPELINE } from './pipeline-metrics.ts';
import { PROCESS } from './process-metrics.ts';

export type { MetricDefinition };

/**
 * Every metric of the services. Metrics use the names of OpenTelemetry's semantic conventions if a name exists there;
 * our own names begin with `recording.`. No attribute is a token or a text, and only `recording.webhook.failing` has an
 * id. `attributes` states the maximum number of values, which limits the number of series. docs/metrics.md is generated
 * from this.
 */
export const METRICS = { ...CALLS, ...PIPELINE, ...PROCESS };

export type MetricName = keyof typeof METRICS;
export type MetricOf<K extends MetricDefinition['kind']> = {
  [N in MetricName]: (typeof METRICS)[N]['kind'] extends K ? N : never;
}[MetricName];
type OptionalOf<N extends MetricName> = (typeof METRICS)[N] extends { optional: readonly (infer A extends string)[] }
  ? A
  : never;
/** The attributes of a metric, each with one of its values. */
export type AttributesOf<N extends MetricName> = {
  [A in Exclude<keyof (typeof METRICS)[N]['attributes'], OptionalOf<N>>]: string;
} & { [A in OptionalOf<N>]?: string };

/** The metrics of Node itself, from `@opentelemetry/instrumentation-runtime-node`: the event loop, the heap, garbage collection. */
export const RUNTIME_METRICS = /^(nodejs|v8js)\./;
