import { type Context, propagation } from '@opentelemetry/api';
import { startSpan } from '@recording-request/kit-telemetry/span';
import type { Message } from 'kafkajs';

/** An event on its way to Kafka. */
export interface SentEvent {
  id: string;
  type: string;
  subject: object;
  /** Trace context of the request that caused the event. */
  cause: Context;
  message: Message;
}

/** The spans of events that are sent together. */
interface SendSpans {
  /** The trace headers of each record. */
  headers: Record<string, string>[];
  /** Ends the spans. `offset`: the offset of the first record. */
  acknowledged(offset: bigint | undefined): void;
  /** Ends the spans, and throws the error. */
  failed(error: unknown): never;
}

// While Kafka is unreachable, an event is retried every few seconds. The event's trace keeps only the first failures.
const FAILURES_MAX = 3;
const EVENTS_MAX = 10_000;

/**
 * Makes the spans of sends. Each span is in the trace of the request that caused its event, because the relay sends
 * long after that request.
 */
export function createSendSpans(topicPrefix: string) {
  const failures = new Map<string, number>();
  const noteFailure = (id: string): number => {
    const count = (failures.get(id) ?? 0) + 1;
    failures.set(id, count);
    if (failures.size > EVENTS_MAX) failures.delete(failures.keys().next().value!);
    return count;
  };
  return {
    begin(topic: string, partition: number, events: readonly SentEvent[]): SendSpans {
      const spans = events.map(({ id, type, subject, cause }) =>
        startSpan('send {topic}', {
          fill: { topic },
          about: subject,
          cause,
          attributes: {
            'messaging.system': 'kafka',
            'messaging.operation.name': 'send',
            'messaging.destination.name': topicPrefix + topic,
            'messaging.destination.partition.id': String(partition),
            'messaging.batch.message_count': events.length,
            'messaging.message.id': id || undefined,
            'recording.event.type': type || undefined,
          },
        }),
      );
      return {
        headers: spans.map(({ context }) => {
          const headers: Record<string, string> = {};
          propagation.inject(context, headers);
          return headers;
        }),
        acknowledged(offset) {
          for (const [at, span] of spans.entries()) {
            failures.delete(events[at]!.id);
            if (offset !== undefined) span.set({ 'messaging.kafka.offset': Number(offset) + at });
            span.end();
          }
        },
        failed(error) {
          // A span that is not ended is not exported.
          for (const [at, span] of spans.entries()) if (noteFailure(events[at]!.id) <= FAILURES_MAX) span.end(error);
          throw error;
        },
      };
    },
  };
}
