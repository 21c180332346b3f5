import { type Attributes, type Context, SpanKind } from '@opentelemetry/api';
import { AlwaysOnSampler, ParentBasedSampler, type Sampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import { isLate } from './open-span.ts';

/** Of the requests that only read, the share that is sent whole where TRACE_READS_RATIO has no other. */
const READS_RATIO = 0.01;
const READS = new Set<unknown>(['GET', 'HEAD']);

/**
 * The sampler where OTEL_TRACES_SAMPLER names none. What changes something is sent whole, with all that comes of it, and so is a
 * share of the requests that read; a service follows the decision of who called it.
 */
export function defaultSampler({ TRACE_READS_RATIO: ratio }: NodeJS.ProcessEnv): Sampler {
  const reads = new TraceIdRatioBasedSampler(ratio ? Number(ratio) : READS_RATIO);
  const all = new AlwaysOnSampler();
  const root: Sampler = {
    shouldSample(context: Context, traceId: string, _name: string, kind: SpanKind, attributes: Attributes) {
      const onlyReads = kind === SpanKind.SERVER && READS.has(attributes['http.request.method']);
      return onlyReads ? reads.shouldSample(context, traceId) : all.shouldSample();
    },
    toString: () => `Reads{${reads.toString()}}`,
  };
  const usual = new ParentBasedSampler({ root });
  return {
    shouldSample: (context, ...rest) => (isLate(context) ? all.shouldSample() : usual.shouldSample(context, ...rest)),
    toString: () => root.toString(),
  };
}
