import { type Attributes, type Context, SpanKind } from '@opentelemetry/api';
import { AlwaysOnSampler, ParentBasedSampler, type Sampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import { isLate } from './open-span.ts';

/** Of the requests that only read, the share that is sent whole where TRACE_READS_RATIO has no other. */
const READS_RATIO = 0.01;
const READS = new Set<unknown>(['GET', 'HEAD']);

/**
 * The sampler where OTEL_TRACES_SAMPLER names none. What changes something is sent whole, with all that comes of it, whatever an
 * ingress has decided: most of them send one trace in a hundred, and no landing may be missing. Of the requests that read a share is
 * sent, and the decision of who called is followed.
 */
export function defaultSampler({ TRACE_READS_RATIO: ratio }: NodeJS.ProcessEnv): Sampler {
  const reads = new TraceIdRatioBasedSampler(ratio ? Number(ratio) : READS_RATIO);
  const all = new AlwaysOnSampler();
  const root: Sampler = {
    shouldSample: (context: Context, traceId: string, _name: string, kind: SpanKind, attributes: Attributes) =>
      isRequest(kind, attributes) ? reads.shouldSample(context, traceId) : all.shouldSample(),
    toString: () => `Reads{${reads.toString()}}`,
  };
  const usual = new ParentBasedSampler({ root });
  return {
    shouldSample(context, traceId, name, kind, attributes, links) {
      const changes = isRequest(kind, attributes) && !READS.has(attributes['http.request.method']);
      if (changes || isLate(context)) return all.shouldSample();
      return usual.shouldSample(context, traceId, name, kind, attributes, links);
    },
    toString: () => root.toString(),
  };
}

const isRequest = (kind: SpanKind, attributes: Attributes): boolean =>
  kind === SpanKind.SERVER && attributes['http.request.method'] !== undefined;
