import { type Context, context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import type { Logger } from '@recording-request/kit/log';
import { durationOf, secondsSince } from '@recording-request/kit-telemetry/metrics';
import { partOrLink, startSpan } from '@recording-request/kit-telemetry/span';
import { idsOf, type SubjectIds } from '@recording-request/kit-telemetry/subject';
import type { TakenRecord } from './record.ts';

/** What a consumer takes a record for. */
export interface Reading<M> {
  /** Throws a PoisonError where the record is no message. */
  read(record: TakenRecord): M;
  /** Throws a PoisonError where the message lacks what no handler can do without. */
  check(message: M): void;
  describe(message: M): { id: string; type: string; subject: object; context: Context };
  /** Keeps a record that no attempt can help. `ids`: of what it is about, as far as it could be read. */
  setAside(record: TakenRecord, reason: string, ids: SubjectIds): Promise<void>;
}

/** What the lines of a record's failures tell of it, as far as it could be read. */
export interface Known {
  ids: SubjectIds;
  /** Of its last attempt; before the first, of who sent it. */
  context: Context;
}

/** How the records of a topic are handled. */
export interface Handling<M> {
  /** Without the prefix. */
  topic: string;
  /** As Kafka knows them, with the prefix. */
  names: { topic: string; group: string };
  reading: Reading<M>;
  handle(message: M, context: { signal: AbortSignal; log: Logger }): Promise<void>;
  log: Logger;
}

// A handler that goes on for longer after its signal fired does not hold up what waits for it.
const STUBBORN_MS = 10_000;
const processDuration = durationOf('messaging.process.duration');

export interface Attempt {
  /** How often it was tried before. */
  earlier: number;
  signal: AbortSignal;
  /** Filled in once it has been read. */
  known: Known;
}

/** Handles a record once, in a span of its own, as long as its signal lets it. Rejects as the handler does. */
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

/** Resolves as `work` does. Rejects where it goes on long after the signal fired. */
async function endingSoonAfter(signal: AbortSignal, work: Promise<void>): Promise<void> {
  const { promise: stubborn, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const watch = () => {
    timer = setTimeout(() => reject(new Error(`the handler went on for ${STUBBORN_MS} ms after its end`)), STUBBORN_MS);
  };
  signal.addEventListener('abort', watch, { once: true });
  try {
    await Promise.race([work, stubborn]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', watch);
  }
}
