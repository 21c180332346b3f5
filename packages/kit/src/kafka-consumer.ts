import { setTimeout as delay } from 'node:timers/promises';
import { propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { EachMessagePayload, Kafka as KafkaClient, KafkaMessage, Message } from 'kafkajs';
import { backoffMs } from './bounds.ts';
import type { RecordFormat } from './kafka-record.ts';
import type { Logger } from './log.ts';

export interface ConsumerOptions<M> {
  /** Without the prefix. */
  topic: string;
  /** Replicas with the same group share the topic's partitions. */
  group: string;
  /** How many messages are handled at once in this process. */
  concurrency: number;
  /** How long one message may take before its handler's signal fires. */
  jobLimitMs: number;
  /** The effect of a message. Must be idempotent: a message can come twice. Rejects to be tried again. */
  handle(message: M, context: { signal: AbortSignal; log: Logger }): Promise<void>;
}

export interface Consumer {
  /** Waits for the running handlers, commits and leaves the group. */
  stop(): Promise<void>;
}

/** Thrown by a handler for a message that no retry can help: it is logged, kept in the dead letter topic, and skipped. */
export class PoisonError extends Error {}

/** Thrown by a handler for a message whose time has not come: it is tried again after `afterMs` milliseconds. */
export class PostponedError extends Error {
  readonly afterMs: number;

  constructor(message: string, afterMs: number) {
    super(message);
    this.afterMs = afterMs;
  }
}

interface ConsumerDeps<M> {
  client: KafkaClient;
  topicPrefix: string;
  format: RecordFormat<M>;
  log: Logger;
  deadLetter(message: Message): Promise<void>;
}

const SESSION_MS = 10_000;
const HEARTBEAT_MS = 2_000;
// After that the record goes back to the broker, so that a lasting failure does not hold up a rebalance.
const RETRY_IN_PLACE_MS = 20_000;
const REJOIN_MS = 1_000;
const tracer = trace.getTracer('kafka');

/** Starts `concurrency` kafkajs consumers: with one for all, short jobs would wait for a long one's batch. */
export async function startConsumer<M>(options: ConsumerOptions<M>, deps: ConsumerDeps<M>): Promise<Consumer> {
  const stopping = new AbortController();
  const join = () => joinGroup(options, deps, stopping.signal);
  const first = await Promise.all(Array.from({ length: options.concurrency }, join));
  const staying = first.map(membership => stay(membership, join, options, deps.log, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(staying);
    },
  };
}

interface Membership {
  /** Resolves when it has ended by itself, or is to end. */
  over: Promise<void>;
  /** Waits for the running event, commits and leaves the group. */
  leave(): Promise<void>;
}

/**
 * Stays a member of the group until `stopping`. kafkajs joins again after errors it holds to be transient, and fails for
 * good after others, such as those of a broker that accepts connections and never answers: a new consumer then replaces it.
 */
async function stay(
  first: Membership,
  join: () => Promise<Membership>,
  { topic, group }: Pick<ConsumerOptions<unknown>, 'topic' | 'group'>,
  log: Logger,
  stopping: AbortSignal,
): Promise<void> {
  const rejoin = async (): Promise<Membership | undefined> => {
    for (let attempt = 0; ; attempt += 1) {
      await delay(backoffMs(attempt, REJOIN_MS, 10 * REJOIN_MS), undefined, { signal: stopping }).catch(() => {});
      if (stopping.aborted) return undefined;
      try {
        return await join();
      } catch (err) {
        log.warn({ err, topic, group, attempt }, 'A consumer could not join its group');
      }
    }
  };
  for (let membership: Membership | undefined = first; membership; membership = await rejoin()) {
    await membership.over;
    await membership
      .leave()
      .catch(err => log.warn({ err, topic, group }, 'A consumer did not leave its group cleanly'));
    if (!stopping.aborted) log.warn({ topic, group }, 'A consumer has failed for good; another one replaces it');
  }
}

async function joinGroup<M>(
  options: ConsumerOptions<M>,
  deps: ConsumerDeps<M>,
  stopping: AbortSignal,
): Promise<Membership> {
  const member = deps.client.consumer({
    groupId: deps.topicPrefix + options.group,
    sessionTimeout: SESSION_MS,
    heartbeatInterval: HEARTBEAT_MS,
    // Longer than a job: a member that joins waits for the job instead of starting it a second time.
    rebalanceTimeout: options.jobLimitMs + RETRY_IN_PLACE_MS + 10_000,
    retry: { initialRetryTime: 200, maxRetryTime: 10_000, retries: 10, restartOnFailure: async () => true },
  });
  const over = Promise.withResolvers<void>();
  const end = () => over.resolve();
  if (stopping.aborted) end();
  stopping.addEventListener('abort', end, { once: true });
  over.promise.then(() => stopping.removeEventListener('abort', end));
  member.on(member.events.CRASH, ({ payload }) => {
    if (!payload.restart) end();
  });
  const joined = new Promise<void>(resolve => void member.on(member.events.GROUP_JOIN, () => resolve()));
  try {
    await member.connect();
    await member.subscribe({ topic: deps.topicPrefix + options.topic, fromBeginning: true });
    await member.run({
      autoCommitThreshold: 1,
      partitionsConsumedConcurrently: 1,
      eachMessage: payload => onMessage(payload, options, deps, stopping),
    });
  } catch (error) {
    end();
    await member.disconnect().catch(() => {});
    throw error;
  }
  await Promise.race([joined, over.promise, delay(SESSION_MS, undefined, { ref: false })]);
  return { over: over.promise, leave: () => member.disconnect() };
}

async function onMessage<M>(
  { message: record, partition, heartbeat }: EachMessagePayload,
  options: ConsumerOptions<M>,
  deps: ConsumerDeps<M>,
  stopping: AbortSignal,
): Promise<void> {
  const { format } = deps;
  const setAside = (reason: PoisonError) => toDeadLetters(record, partition, reason, options, deps);
  const message = decode(format, record.value);
  if (!message) return setAside(new PoisonError('the record is not an event'));
  const missing = format.missingFrom(message);
  if (missing !== undefined) return setAside(new PoisonError(`the event lacks ${missing}`));
  const headers = Object.fromEntries(Object.entries(record.headers ?? {}).map(([k, v]) => [k, String(v)]));
  const parent = propagation.extract(ROOT_CONTEXT, headers);
  const { id, type } = format.describe(message);
  const attributes = { 'messaging.system': 'kafka', 'messaging.message.id': id, 'event.type': type };
  await tracer.startActiveSpan(
    `${options.topic} process`,
    { kind: SpanKind.CONSUMER, attributes },
    parent,
    async span => {
      try {
        await handleUntilDone(message, heartbeat, options, deps, stopping);
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message });
        if (!(error instanceof PoisonError)) throw error;
        await setAside(error);
      } finally {
        span.end();
      }
    },
  );
}

async function handleUntilDone<M>(
  message: M,
  heartbeat: () => Promise<void>,
  options: ConsumerOptions<M>,
  { format, log }: ConsumerDeps<M>,
  stopping: AbortSignal,
): Promise<void> {
  const startedAt = Date.now();
  let rebalancing = false;
  // kafkajs sends heartbeats only when asked; the job's own limit ends them. They are rejected while the group rebalances.
  const beat = setInterval(() => {
    if (Date.now() - startedAt < options.jobLimitMs + RETRY_IN_PLACE_MS)
      heartbeat().catch(() => {
        rebalancing = true;
      });
  }, HEARTBEAT_MS);
  try {
    for (let attempt = 0; ; ) {
      const signal = AbortSignal.timeout(options.jobLimitMs);
      try {
        return await options.handle(message, { signal, log });
      } catch (error) {
        if (error instanceof PoisonError) throw error;
        const { id, type } = format.describe(message);
        log.warn({ err: error, event: id, type, attempt }, 'An event will be tried again');
        if (rebalancing || stopping.aborted || Date.now() - startedAt > RETRY_IN_PLACE_MS) throw error;
        const postponed = error instanceof PostponedError;
        const waitMs = postponed ? error.afterMs : backoffMs(attempt, 200, 5_000);
        if (!postponed) attempt += 1;
        await delay(Math.min(waitMs, RETRY_IN_PLACE_MS), undefined, { signal: stopping });
      }
    }
  } finally {
    clearInterval(beat);
  }
}

function decode<M>(format: RecordFormat<M>, value: Buffer | null): M | undefined {
  try {
    return value ? format.decode(value) : undefined;
  } catch {
    return undefined;
  }
}

async function toDeadLetters<M>(
  { key = null, value, offset }: KafkaMessage,
  partition: number,
  reason: PoisonError,
  { topic, group }: ConsumerOptions<M>,
  { deadLetter, log }: ConsumerDeps<M>,
): Promise<void> {
  log.error({ err: reason, topic, partition, offset }, 'An event goes to the dead letter topic');
  const headers = {
    'parked-from': topic,
    'parked-by': group,
    'parked-reason': reason.message,
    'parked-partition': String(partition),
    'parked-offset': offset,
  };
  try {
    await deadLetter({ key, value, headers });
  } catch (error) {
    if ((error as { type?: string }).type !== 'MESSAGE_TOO_LARGE') throw error;
    // With these headers it is larger than a record can be. It stays in its own topic until that topic's retention ends.
    await deadLetter({ key: null, value: null, headers: { ...headers, 'parked-without': 'key and value' } });
  }
}
