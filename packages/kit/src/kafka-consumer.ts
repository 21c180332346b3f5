import { setTimeout as delay } from 'node:timers/promises';
import { propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { Event } from '@recording-request/proto/events/v1/events';
import type { EachMessagePayload, Kafka as KafkaClient, KafkaMessage, Message } from 'kafkajs';
import { backoffMs } from './bounds.ts';
import { lackOf, type TopicName } from './events.ts';
import type { Logger } from './log.ts';

export interface ConsumerOptions {
  topic: TopicName;
  /** Replicas with the same group share the topic's partitions. */
  group: string;
  /** How many events are handled at once in this process. */
  slots: number;
  /** How long one event may take before its handler's signal fires. */
  jobLimitMs: number;
  /** The effect of an event. Must be idempotent: an event can come twice. Rejects to be tried again. */
  handle(event: Event, context: { signal: AbortSignal; log: Logger }): Promise<void>;
}

export interface Consumer {
  /** Waits for the running events, commits and leaves the group. */
  stop(): Promise<void>;
}

/** Thrown by a handler for an event that no retry can help: it is logged, kept in the topic `parked`, and skipped. */
export class PoisonError extends Error {}

interface Room {
  client: KafkaClient;
  topicPrefix: string;
  log: Logger;
  park(message: Message): Promise<void>;
}

const SESSION_MS = 10_000;
const HEARTBEAT_MS = 2_000;
// After that the record goes back to the broker, so that a rebalance is not held up by a fault that lasts.
const RETRY_IN_PLACE_MS = 20_000;
const REJOIN_MS = 1_000;
const tracer = trace.getTracer('kafka');

/** One kafkajs consumer for each slot: with several in one consumer, short events wait for a long one's batch. */
export async function startConsumer(options: ConsumerOptions, room: Room): Promise<Consumer> {
  const stopping = new AbortController();
  const join = () => joinGroup(options, room, stopping.signal);
  const first = await Promise.all(Array.from({ length: options.slots }, join));
  const staying = first.map(membership => stay(membership, join, options, room, stopping.signal));
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
 * Keeps a place in the group until `stopping`. kafkajs joins again after faults that it knows to pass, and gives up for good
 * after others, such as those of a broker that takes connections and says nothing: a new consumer takes the place then.
 */
async function stay(
  first: Membership,
  join: () => Promise<Membership>,
  { topic, group }: ConsumerOptions,
  { log }: Room,
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
    if (!stopping.aborted) log.warn({ topic, group }, 'A consumer has given up; another one takes its place');
  }
}

async function joinGroup(options: ConsumerOptions, room: Room, stopping: AbortSignal): Promise<Membership> {
  const member = room.client.consumer({
    groupId: room.topicPrefix + options.group,
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
    await member.subscribe({ topic: room.topicPrefix + options.topic, fromBeginning: true });
    await member.run({
      autoCommitThreshold: 1,
      partitionsConsumedConcurrently: 1,
      eachMessage: payload => onMessage(payload, options, room, stopping),
    });
  } catch (error) {
    end();
    await member.disconnect().catch(() => {});
    throw error;
  }
  await Promise.race([joined, over.promise, delay(SESSION_MS, undefined, { ref: false })]);
  return { over: over.promise, leave: () => member.disconnect() };
}

async function onMessage(
  { message, partition, heartbeat }: EachMessagePayload,
  options: ConsumerOptions,
  room: Room,
  stopping: AbortSignal,
): Promise<void> {
  const parkIt = (reason: PoisonError) => park(message, partition, reason, { options, room });
  const event = decode(message.value);
  if (!event) return parkIt(new PoisonError('the record is not an event'));
  const lack = lackOf(event);
  if (lack !== undefined) return parkIt(new PoisonError(`the event lacks ${lack}`));
  const headers = Object.fromEntries(Object.entries(message.headers ?? {}).map(([k, v]) => [k, String(v)]));
  const parent = propagation.extract(ROOT_CONTEXT, headers);
  const attributes = { 'messaging.system': 'kafka', 'messaging.message.id': event.id, 'event.type': event.type };
  await tracer.startActiveSpan(
    `${options.topic} process`,
    { kind: SpanKind.CONSUMER, attributes },
    parent,
    async span => {
      try {
        await handleUntilDone(event, heartbeat, options, room, stopping);
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message });
        if (!(error instanceof PoisonError)) throw error;
        await parkIt(error);
      } finally {
        span.end();
      }
    },
  );
}

async function handleUntilDone(
  event: Event,
  heartbeat: () => Promise<void>,
  options: ConsumerOptions,
  room: Room,
  stopping: AbortSignal,
): Promise<void> {
  const startedAt = Date.now();
  let rebalancing = false;
  // kafkajs beats only when told; the job's own limit ends the beating. It rejects while the group rebalances.
  const beat = setInterval(() => {
    if (Date.now() - startedAt < options.jobLimitMs + RETRY_IN_PLACE_MS)
      heartbeat().catch(() => {
        rebalancing = true;
      });
  }, HEARTBEAT_MS);
  try {
    for (let attempt = 0; ; attempt += 1) {
      const signal = AbortSignal.timeout(options.jobLimitMs);
      try {
        return await options.handle(event, { signal, log: room.log });
      } catch (error) {
        if (error instanceof PoisonError) throw error;
        room.log.warn({ err: error, event: event.id, type: event.type, attempt }, 'An event will be tried again');
        if (rebalancing || stopping.aborted || Date.now() - startedAt > RETRY_IN_PLACE_MS) throw error;
        await delay(backoffMs(attempt, 200, 5_000), undefined, { signal: stopping });
      }
    }
  } finally {
    clearInterval(beat);
  }
}

function decode(value: Buffer | null): Event | undefined {
  try {
    return value ? Event.decode(value) : undefined;
  } catch {
    return undefined;
  }
}

async function park(
  { key = null, value, offset }: KafkaMessage,
  partition: number,
  reason: PoisonError,
  { options, room }: { options: ConsumerOptions; room: Room },
): Promise<void> {
  const { topic, group } = options;
  room.log.error({ err: reason, topic, partition, offset }, 'An event is parked');
  const headers = {
    'parked-from': topic,
    'parked-by': group,
    'parked-reason': reason.message,
    'parked-partition': String(partition),
    'parked-offset': offset,
  };
  try {
    await room.park({ key, value, headers });
  } catch (error) {
    if ((error as { type?: string }).type !== 'MESSAGE_TOO_LARGE') throw error;
    // With these headers it is more than a record can be. It stays where it came, until its topic's retention ends.
    await room.park({ key: null, value: null, headers: { ...headers, 'parked-without': 'key and value' } });
  }
}
