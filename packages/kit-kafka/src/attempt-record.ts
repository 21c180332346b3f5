import { type Context, context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import type { Logger } from '@recording-request/kit/log';
import { durationOf, secondsSince } from '@recording-request/kit-telemetry/metrics';
import { partOrLink, startSpan } from '@recording-request/kit-telemetry/span';
import { idsOf, type SubjectIds } from '@recording-request/kit-telemetry/subject';
import type { TakenRecord } from './record.ts';

/** The conversion of a record to a message. */
export interface Reading<M> {
  /** Throws a PoisonError when the record is not a message. */
  read(record: TakenRecord): M;
  /** Throws a PoisonError when the message lacks a part that every handler needs. */
  check(message: M): void;
  describe(message: M): { id: string; type: string; subject: object; context: Context };
  /** Sets aside a record that no retry can help. `ids` are the ids that could be read from the record. */
  setAside(record: TakenRecord, reason: string, ids: SubjectIds): Promise<void>;
}

/** Details about a failing record for the logs, as far as the record could be read. */
export interface Known {
  ids: SubjectIds;
  /** The trace context of the last attempt; before the first attempt, the sender's trace context. */
  context: Context;
}

/** The handling of a topic's records. */
export interface Handling<M> {
  /** Without the prefix. */
  topic: string;
  /** Full names, with the prefix. */
  names: { topic: string; group: string };
  reading: Reading<M>;
  handle(message: M, context: { signal: AbortSignal; log: Logger }): Promise<void>;
  log: Logger;
}

// A handler may continue for this time after its signal fired. Then the attempt fails and frees its slot.
const STUBBORN_MS = 10_000;
const processDuration = durationOf('messaging.process.duration');

export interface Attempt {
  earlier: number;
  signal: AbortSignal;
  /** Filled in once the record has been read. */
  known: Known;
}

/** Handles a record once, in its own span. Rejects when the handler rejects or ignores its signal for too long. */
export async function attemptRecord<M>(
  record: TakenRecord,
  { earlier, signal, known }: Attempt,
  { names, topic, reading, handle, log }: Handling<M>,
): Promise<void> {
  const message = reading.read(record);
  const { id, type, subject } = reading.describe(message);
  known.ids = idsOf(subject);
  const span = startSpan('process {topic}', {
    fill: { topic: topic },
    about: subject,
    cause: propagation.extract(ROOT_CONTEXT, record.headers),
    as: partOrLink(earlier),
    attributes: {
      'messaging.system': 'kafka',
      'messaging.operation.name': 'process',
      'messaging.destination.name': names.topic,
      'messaging.consumer.group.name': names.group,
      'messaging.destination.partition.id': String(record.partition),
      'messaging.kafka.offset': Number(record.offset),
      'messaging.batch.message_count': record.batch,
      'messaging.message.id': id,
      'recording.event.type': type,
      'recording.attempt': earlier + 1,
    },
  });
  known.context = span.context;
  const startedAt = performance.now();
  const ended = (outcome: 'ok' | 'failed', error?: unknown) => {
    span.set({ 'recording.outcome': outcome });
    span.end(error);
    processDuration(secondsSince(startedAt), {
      'messaging.destination.name': names.topic,
      'messaging.consumer.group.name': names.group,
      'recording.outcome': outcome,
    });
  };
  try {
    reading.check(message);
    await context.with(span.context, () => endingSoonAfter(signal, handle(message, { signal, log })));
    ended('ok');
  } catch (error) {
    ended('failed', error);
    throw error;
  }
}

/** Resolves or rejects with `work`. Rejects when `work` still runs STUBBORN_MS after the signal fired. */
async function endingSoonAfter(signal: AbortSignal, work: Promise<void>): Promise<void> {
  const { promise: stubborn, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const watch = () => {
    timer = setTimeout(
      () => reject(new Error(`the handler still ran ${STUBBORN_MS} ms after its time limit`)),
      STUBBORN_MS,
    );
  };
  signal.addEventListener('abort', watch, { once: true });
  try {
    await Promise.race([work, stubborn]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', watch);
  }
}
