import { SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace';

const SLOW_SECONDS = 0.5;
// Where everything is slow, telling of it must not make it slower.
const KEPT_A_SECOND = 100;

/**
 * Hands on the spans that were sampled, and of the others those that were slow or failed, up to a hundred a second. What is below a slow
 * one was slow itself or is not worth a look; who waited for it was slow as well: so what is kept of a trace hangs together.
 */
export function keepingSpans(inner: SpanProcessor): SpanProcessor {
  let [second, kept] = [0, 0];
  const hasRoom = () => {
    const now = Math.floor(performance.now() / 1_000);
    if (now !== second) [second, kept] = [now, 0];
    kept += 1;
    return kept <= KEPT_A_SECOND;
  };
  return {
    onStart: (span, parent) => inner.onStart(span, parent),
    onEnd(span: ReadableSpan) {
      const own = span.spanContext();
      if (!(own.traceFlags & TraceFlags.SAMPLED)) {
        if (!isWorthKeeping(span) || !hasRoom()) return;
        // The next processor asks for the flag.
        own.traceFlags |= TraceFlags.SAMPLED;
      }
      inner.onEnd(span);
    },
    shutdown: () => inner.shutdown(),
    forceFlush: () => inner.forceFlush(),
  };
}

const isWorthKeeping = ({ status, duration: [seconds, nanoseconds] }: ReadableSpan): boolean =>
  status.code === SpanStatusCode.ERROR || seconds + nanoseconds / 1e9 >= SLOW_SECONDS;
