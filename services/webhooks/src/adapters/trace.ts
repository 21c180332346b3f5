import { inSpan, runningTrace } from '@recording-request/kit-telemetry/span';
import type { TraceContext } from '../domain/delivery.ts';

/** Returns the current trace context; without one, returns `fallback`. */
export function currentTrace({ traceparent, tracestate }: TraceContext): TraceContext {
  const running = runningTrace();
  return running.traceparent === '' ? { traceparent, tracestate } : running;
}

/** The fields of a delivery that its spans record. */
interface TracedDelivery extends TraceContext {
  id: string;
  projectId: string;
  submissionId: string;
  eventType: string;
}

const attributesOf = ({ id, eventType }: TracedDelivery) => ({
  'recording.event.id': id,
  'recording.event.type': eventType,
});

/**
 * Runs one attempt in a span. The first attempt belongs to the trace that caused the event. A later attempt may run
 * hours afterwards, so it starts a new trace with a link to the first one.
 */
export async function inAttemptSpan<T extends { error?: string } | undefined>(
  delivery: TracedDelivery & { attemptCount: number },
  run: () => Promise<T>,
): Promise<T> {
  const attributes = {
    ...attributesOf(delivery),
    'recording.peer': 'endpoint',
    'recording.attempt': delivery.attemptCount + 1,
  };
  const as = delivery.attemptCount === 0 ? 'part' : 'link';
  const fill = { 'event type': delivery.eventType };
  return await inSpan(
    'webhook {event type}',
    { fill, about: delivery, cause: delivery, as, attributes },
    async span => {
      const result = await run();
      if (result?.error) span.end(new Error(result.error));
      return result;
    },
  );
}

/** Runs a redelivery in a span that links to the trace that caused the event. */
export const inRedeliverSpan = <T>(delivery: TracedDelivery, run: () => Promise<T>): Promise<T> =>
  inSpan('redeliver', { about: delivery, cause: delivery, as: 'link', attributes: attributesOf(delivery) }, run);
