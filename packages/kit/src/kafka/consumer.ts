import { type Context, context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import type { Kafka as KafkaClient, Message } from 'kafkajs';
import { backoffMs } from '../bounds.ts';
import type { Logger } from '../log.ts';
import { durationOf, secondsSince } from '../telemetry/metrics.ts';
import { partOrLink, startSpan } from '../telemetry/span.ts';
import { isForAnother, sendDeadLetter } from './dead-letter.ts';
import { type Attempts, afterFailure, PoisonError, PostponedError } from './job-failures.ts';
import type { RecordFormat, TakenRecord } from './record.ts';
import { type Consumer, startRecordConsumer } from './record-consumer.ts';

export { type Consumer, PoisonError, PostponedError };

export interface ConsumerOptions<M> {
  /** Without the prefix. */
  topic: string;
  /** Replicas with the same group share the topic's partitions. */
  group: string;
  /** How many messages are handled at once in this process. */
  concurrency: number;
  /** How long one message may take before its handler's signal fires, in milliseconds. */
  jobLimitMs: number;
  /** How long running handlers may go on after a stop before their signals fire, in milliseconds; 10 s by default. */
  stopGraceMs?: number;
  /** How often a message is tried before it goes to the dead letters, 8 by default. Outages do not count. */
  maxAttempts?: number;
  /**
   * The effect of a message. Must be idempotent: a message can come twice. Messages with the same key come one after the
   * other, in their order. Rejects to be tried again; see PoisonError and PostponedError.
   */
  handle(message: M, context: { signal: AbortSignal; log: Logger }): Promise<void>;
}

interface ConsumerDeps {
  client: KafkaClient;
  topicPrefix: string;
  log: Logger;
}

/** What a consumer takes a record for. */
interface Reading<M> {
  /** Throws a PoisonError where the record is no message. */
  read(record: TakenRecord): M;
  describe(message: M): { id: string; type: string; subject: object; context: Context };
  /** Keeps a record that no attempt can help. */
  setAside(record: TakenRecord, reason: string): Promise<void>;
}

const STOP_GRACE_MS = 10_000;
const MAX_ATTEMPTS = 8;
// A handler that goes on for longer after its signal fired does not hold up what waits for it.
const STUBBORN_MS = 10_000;
const processDuration = durationOf('messaging.process.duration');

/** Handles the messages of a topic. What cannot be handled is sent to the dead letters by `deadLetter`. */
export function startConsumer<M>(
  options: ConsumerOptions<M>,
  deps: ConsumerDeps & { format: RecordFormat<M>; deadLetter(message: Message): Promise<void> },
): Promise<Consumer> {
  const { topic, group } = options;
  const { format, deadLetter, log } = deps;
  return start(options, deps, {
    describe: format.describe,
    read({ value }) {
      const message = decode(format, value);
      if (!message) throw new PoisonError('the record is not an event');
      const missing = format.missingFrom(message);
      if (missing !== undefined) throw new PoisonError(`the event lacks ${missing}`);
      return message;
    },
    async setAside(record, reason) {
      const { partition, offset } = record;
      log.error({ topic, group, partition, offset, reason }, 'An event goes to the dead letter topic');
      await sendDeadLetter(deadLetter, record, { topic, group, reason });
    },
  });
}

/** Handles the records of a topic as they are, such as dead letters. One that cannot be handled is logged and skipped. */
export function startRawConsumer(options: ConsumerOptions<TakenRecord>, deps: ConsumerDeps): Promise<Consumer> {
  const { topic, group } = options;
  return start(options, deps, {
    read: record => record,
    describe: ({ partition, offset }) => ({
      id: `${partition}-${offset}`,
      type: topic,
      subject: {},
      context: ROOT_CONTEXT,
    }),
    async setAside({ partition, offset }, reason) {
      deps.log.error({ topic, group, partition, offset, reason }, 'A record is skipped');
    },
  });
}

function start<M>(options: ConsumerOptions<M>, deps: ConsumerDeps, reading: Reading<M>): Promise<Consumer> {
  const { client, topicPrefix, log } = deps;
  const names = { topic: topicPrefix + options.topic, group: topicPrefix + options.group };
  return startRecordConsumer({
    client,
    ...names,
    concurrency: options.concurrency,
    stopGraceMs: options.stopGraceMs ?? STOP_GRACE_MS,
    log,
    workOn: (record, stopping) => workOn(record, stopping, { names, options, reading, log }),
  });
}

interface Work<M> {
  /** As Kafka knows them, with the prefix. */
  names: { topic: string; group: string };
  options: ConsumerOptions<M>;
  reading: Reading<M>;
  log: Logger;
}

/** Returns the next attempt, each time it is called: see RecordConsumerOptions. */
function workOn<M>(record: TakenRecord, stopping: AbortSignal, work: Work<M>): () => Promise<number | undefined> {
  const { options, reading, log } = work;
  const attempts: Attempts = { failed: 0, away: 0 };
  const maxAttempts = options.maxAttempts ?? MAX_ATTEMPTS;
  const about = { topic: options.topic, partition: record.partition, offset: record.offset };
  let reason: string | undefined;
  let tries = 0;
  return async () => {
    const limit = AbortSignal.timeout(options.jobLimitMs);
    try {
      if (reason === undefined && !isForAnother(record, options.group))
        await handleTraced(record, tries++, AbortSignal.any([limit, stopping]), work);
    } catch (err) {
      if (stopping.aborted) return 0;
      const step = afterFailure(err, attempts, { maxAttempts, outOfTime: limit.aborted });
      if (!('reason' in step)) {
        log[step.quiet ? 'debug' : 'warn']({ err, ...about, ...attempts }, 'An event will be tried again');
        return step.afterMs;
      }
      reason = step.reason;
    }
    if (reason === undefined) return undefined;
    try {
      await reading.setAside(record, reason);
      return undefined;
    } catch (err) {
      log.warn({ err, ...about }, 'A record could not be sent to the dead letters yet');
      attempts.away += 1;
      return backoffMs(attempts.away, 250, 30_000);
    }
  };
}

/** `earlier`: how often it was tried before. */
async function handleTraced<M>(
  record: TakenRecord,
  earlier: number,
  signal: AbortSignal,
  { names, options, reading, log }: Work<M>,
): Promise<void> {
  const message = reading.read(record);
  const { id, type, subject } = reading.describe(message);
  const span = startSpan('process {topic}', {
    fill: { topic: options.topic },
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
  const startedAt = performance.now();
  const ended = (outcome: 'ok' | 'failed' | 'postponed', error?: unknown) => {
    span.set({ 'recording.outcome': outcome });
    span.end(error);
    processDuration(secondsSince(startedAt), {
      'messaging.destination.name': names.topic,
      'messaging.consumer.group.name': names.group,
      'recording.outcome': outcome === 'ok' ? 'ok' : 'failed',
    });
  };
  try {
    await context.with(span.context, () => endingSoonAfter(signal, options.handle(message, { signal, log })));
    ended('ok');
  } catch (error) {
    if (error instanceof PostponedError) ended('postponed');
    else ended('failed', error);
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

function decode<M>(format: RecordFormat<M>, value: Buffer | null): M | undefined {
  try {
    return value ? format.decode(value) : undefined;
  } catch {
    return undefined;
  }
}
