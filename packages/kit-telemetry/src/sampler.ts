import { SpanKind } from '@opentelemetry/api';
import { AlwaysOnSampler, ParentBasedSampler, type Sampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';

/** The share of read-only requests that is sampled if TRACE_READS_RATIO is not set. */
const READS_RATIO = 0.01;
const READS = new Set<unknown>(['GET', 'HEAD']);

/**
 * Returns the sampler that applies if OTEL_TRACES_SAMPLER is not set. It samples every request that changes data, even
 * if an ingress decided against it: an ingress often samples only one trace in a hundred, but the trace of a landing
 * must exist. It samples a share of the read-only requests. Every other span follows its parent; a span without a
 * parent is sampled.
 */
export function defaultSampler({ TRACE_READS_RATIO: ratio }: NodeJS.ProcessEnv): Sampler {
  const changes = new AlwaysOnSampler();
  const reads = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio ? Number(ratio) : READS_RATIO) });
  const others = new ParentBasedSampler({ root: changes });
  const samplerOf = (kind: SpanKind, method: unknown): Sampler => {
    if (kind !== SpanKind.SERVER || method === undefined) return others;
    return READS.has(method) ? reads : changes;
  };
  return {
    shouldSample: (context, traceId, name, kind, attributes, links) =>
      samplerOf(kind, attributes['http.request.method']).shouldSample(context, traceId, name, kind, attributes, links),
    toString: () => `Reads{${reads.toString()}}`,
  };
}
