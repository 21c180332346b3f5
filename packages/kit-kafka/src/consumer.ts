import { context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import { backoffMs } from '@recording-request/kit/bounds';
import type { Logger } from '@recording-request/kit/log';
import type { Kafka as KafkaClient, Message } from 'kafkajs';
import { attemptRecord, type Handling, type Known, type Reading } from './attempt-record.ts';
import { isForAnother, sendDeadLetter } from './dead-letter.ts';
import { type Attempts, afterFailure, PoisonError } from './job-failures.ts';
import type { RecordFormat, TakenRecord } from './record.ts';
import { type Consumer, startRecordConsumer } from './record-consumer.ts';

export { type Consumer, PoisonError };

export interface ConsumerOptions<M> {
  /** Without the prefix. */
  topic: string;
  /** Replicas with the same group share the topic's partitions. */
  group: string;
  /** Maximum number of messages that this process handles at once. */
  concurrency: number;
  /** The time limit for handling one message, in milliseconds. After it, the handler's signal fires. */
  jobLimitMs: number;
  /** How long running handlers may continue after a stop, in milliseconds; then their signals fire. 10 s by default. */
  stopGraceMs?: number;
  /** Maximum number of attempts before a message goes to the dead letters, 8 by default. Outages do not count. */
  maxAttempts?: number;
  /**
   * Handles a message. Must be idempotent: a message can come twice. Messages with the same key come one after the
   * other, in order. A rejection causes a retry, except a PoisonError.
   */
  handle(message: M, context: { signal: AbortSignal; log: Logger }): Promise<void>;
}

interface ConsumerDeps {
  client: KafkaClient;
  topicPrefix: string;
  log: Logger;
}

const STOP_GRACE_MS = 10_000;
const MAX_ATTEMPTS = 8;

/** Handles the messages of a topic. Sends messages that cannot be handled to the dead letters through `deadLetter`. */
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
      return message;
    },
    check(message) {
      const missing = format.missingFrom(message);
      if (missing !== undefined) throw new PoisonError(`the event lacks ${missing}`);
    },
    async setAside(record, reason, ids) {
      const { partition, offset } = record;
      log.error({ topic, group, partition, offset, reason, ...ids }, 'An event goes to the dead letter topic');
      await sendDeadLetter(deadLetter, record, { topic, group, reason });
    },
  });
}

/** Handles the raw records of a topic, such as dead letters. Logs and skips a record that cannot be handled. */
export function startRawConsumer(options: ConsumerOptions<TakenRecord>, deps: ConsumerDeps): Promise<Consumer> {
  const { topic, group } = options;
  return start(options, deps, {
    read: record => record,
    check: () => {},
    describe: ({ partition, offset }) => ({
      id: `${partition}-${offset}`,
      type: topic,
      subject: {},
      context: ROOT_CONTEXT,
    }),
    async setAside({ partition, offset }, reason) {
      deps.log.error({ topic, group, partition, offset, reason }, 'A record cannot be handled and is skipped');
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
    workOn: (record, stopping) => workOn(record, stopping, options, { ...options, names, reading, log }),
  });
}

/** Returns a function that makes one attempt per call: see RecordConsumerOptions. */
function workOn<M>(
  record: TakenRecord,
  stopping: AbortSignal,
  options: ConsumerOptions<M>,
  handling: Handling<M>,
): () => Promise<number | undefined> {
  const { reading, log } = handling;
  const attempts: Attempts = { failed: 0, away: 0 };
  const maxAttempts = options.maxAttempts ?? MAX_ATTEMPTS;
  const where = { topic: options.topic, partition: record.partition, offset: record.offset };
  const known: Known = { ids: {}, context: propagation.extract(ROOT_CONTEXT, record.headers) };
  const inItsTrace = <T>(run: () => T): T => context.with(known.context, run);
  let reason: string | undefined;
  let tries = 0;
  return async () => {
    const limit = AbortSignal.timeout(options.jobLimitMs);
    try {
      if (reason === undefined && !isForAnother(record, options.group))
        await attemptRecord(record, { earlier: tries++, signal: AbortSignal.any([limit, stopping]), known }, handling);
    } catch (err) {
      if (stopping.aborted) return 0;
      const step = afterFailure(err, attempts, { maxAttempts, outOfTime: limit.aborted });
      if (!('reason' in step)) {
        const line = { err, ...where, ...known.ids, ...attempts };
        inItsTrace(() => log.warn(line, 'An event could not be handled and will be retried'));
        return step.afterMs;
      }
      reason = step.reason;
    }
    if (reason === undefined) return undefined;
    const because = reason;
    try {
      await inItsTrace(() => reading.setAside(record, because, known.ids));
      return undefined;
    } catch (err) {
      const line = { err, ...where, ...known.ids };
      inItsTrace(() => log.warn(line, 'A record could not be sent to the dead letters and will be retried'));
      attempts.away += 1;
      return backoffMs(attempts.away, 250, 30_000);
    }
  };
}

function decode<M>(format: RecordFormat<M>, value: Buffer | null): M | undefined {
  try {
    return value ? format.decode(value) : undefined;
  } catch {
    return undefined;
  }
}
