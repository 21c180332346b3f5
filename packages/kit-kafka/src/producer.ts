import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs, bounded } from '@recording-request/kit/bounds';
import type { Logger } from '@recording-request/kit/log';
import { type Kafka as KafkaClient, type Message, Partitioners, type Producer } from 'kafkajs';

/** Records were not sent, or the broker did not confirm them. A retry may send them twice. */
export class PublishError extends Error {
  override name = 'PublishError';
}

/** No broker can be reached, so records of other partitions cannot be sent either. */
export class KafkaAwayError extends PublishError {}

/** This process has closed its connection to Kafka. */
export class KafkaClosedError extends PublishError {}

/** The broker refuses a record because it exceeds its topic's maximum size. A retry cannot help. */
export class RecordTooLargeError extends Error {
  override name = 'RecordTooLargeError';
  /** The broker's name for this error. */
  readonly type = 'MESSAGE_TOO_LARGE';
}

/**
 * Sends records partition by partition. A producer numbers its records, and the broker drops a record whose number it
 * already has. After a failed send, the producer and the broker may disagree about the numbers: the broker then refuses
 * a record forever, or drops a new record as a duplicate. So each partition gets one send at a time, and after a failed
 * send, the next send opens a new producer. The old producer still finishes its sends to other partitions.
 */
export interface PartitionProducer {
  connect(): Promise<void>;
  /**
   * Returns whether the last send succeeded. If no send followed the last connection attempt, returns whether this
   * attempt succeeded.
   */
  isConnected(): boolean;
  /** Returns the partition of a key, or a random partition for null. `topic` has its prefix. */
  partitionOf(topic: string, key: string | Buffer | null): number;
  /**
   * Resolves when all in-sync replicas have the records, in this order. The result is the offset of the first record,
   * if the broker reports it. Fails with RecordTooLargeError or PublishError, within a few times `requestMs`; then the
   * first records may have been sent.
   */
  send(topic: string, partition: number, messages: Message[]): Promise<bigint | undefined>;
  /** Accepts no more sends, and waits a limited time for the running sends. */
  close(): Promise<void>;
}

interface Session {
  producer: Producer;
  sending: number;
  replaced: boolean;
}

const CLOSE_MS = 5_000;
const FIRST_REST_MS = 200;
const LONGEST_REST_MS = 5_000;

/**
 * `client` should retry little by itself. It waits `requestMs` for each answer. `partitions` has the number of
 * partitions of each topic; each send updates it from the brokers' metadata.
 */
export function createPartitionProducer(
  client: KafkaClient,
  { partitions, requestMs, log }: { partitions: Map<string, number>; requestMs: number; log: Logger },
): PartitionProducer {
  const byKey = Partitioners.DefaultPartitioner();
  const lanes = new Map<string, Promise<void>>();
  let session: Promise<Session> | undefined;
  let failures = 0;
  let restUntil = 0;
  let closed = false;
  let connected = false;

  const open = async (): Promise<Session> => {
    const producer = client.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      createPartitioner:
        () =>
        ({ topic, partitionMetadata, message }) => {
          partitions.set(topic, partitionMetadata.length);
          return message.partition!;
        },
    });
    try {
      await producer.connect();
    } catch (error) {
      void disconnect(producer);
      throw new KafkaAwayError('Kafka cannot be reached', { cause: error });
    }
    return { producer, sending: 0, replaced: false };
  };

  const disconnect = (producer: Producer) =>
    bounded(producer.disconnect(), CLOSE_MS, 'disconnecting a producer').catch(err =>
      log.debug({ err }, 'A producer did not disconnect cleanly'),
    );

  /**
   * Resolves to the current session, or opens a session. After a failure it rejects for a growing time, to limit
   * reconnects.
   */
  const current = (): Promise<Session> => {
    if (session) return session;
    if (Date.now() < restUntil) return Promise.reject(new KafkaAwayError('Kafka could not be reached a moment ago'));
    const opening = open();
    session = opening;
    opening.then(
      () => {
        connected = true;
      },
      () => {
        if (session === opening) session = undefined;
        connected = false;
        rest();
      },
    );
    return opening;
  };
  const rest = () => {
    restUntil = Date.now() + backoffMs(failures, FIRST_REST_MS, LONGEST_REST_MS);
    failures += 1;
  };

  const replace = (used: Session, error: unknown) => {
    if (used.replaced) return;
    used.replaced = true;
    session = undefined;
    connected = false;
    log.warn({ err: error }, 'A send to Kafka failed; a new producer replaces the one that made it');
  };

  async function sendNow(topic: string, partition: number, messages: Message[]): Promise<bigint | undefined> {
    const used = await current();
    used.sending += 1;
    // Shorter than the client's wait, so that the broker responds before the client gives up.
    const timeout = Math.ceil(requestMs / 2);
    const records = messages.map(message => ({ ...message, partition }));
    try {
      const again = () => used.producer.send({ topic, acks: -1, timeout, messages: records });
      const [acknowledged] = await retryQuickFailures(again, requestMs / 2);
      failures = 0;
      connected = true;
      const { baseOffset } = acknowledged ?? {};
      return baseOffset === undefined ? undefined : BigInt(baseOffset);
    } catch (error) {
      // The broker refused the records before it wrote or numbered any of them, so the producer stays in use.
      if (isTooLarge(error))
        throw new RecordTooLargeError('the broker refuses the record as too large', { cause: error });
      replace(used, error);
      throw new PublishError('Kafka did not acknowledge what was sent', { cause: error });
    } finally {
      used.sending -= 1;
      if (used.replaced && used.sending === 0) void disconnect(used.producer);
    }
  }

  return {
    async connect() {
      await current();
    },
    isConnected: () => connected,
    partitionOf(topic, key) {
      const count = partitions.get(topic) ?? 1;
      if (key === null) return Math.floor(Math.random() * count);
      // The partitioner reads only the number of partitions.
      const partitionMetadata = Array.from({ length: count }, () => ({ leader: -1 })) as never;
      return byKey({ topic, partitionMetadata, message: { key, value: null } });
    },
    async send(topic, partition, messages) {
      const lane = `${topic}/${partition}`;
      const before = lanes.get(lane) ?? Promise.resolve();
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const chained = before.then(() => ended);
      lanes.set(lane, chained);
      try {
        await bounded(before, 2 * requestMs, 'waiting for an earlier send').catch(error => {
          throw new PublishError('an earlier send to the same partition has not ended', { cause: error });
        });
        if (closed) throw new KafkaClosedError('Kafka has been closed');
        return await sendNow(topic, partition, messages);
      } finally {
        end();
        if (lanes.get(lane) === chained) lanes.delete(lane);
      }
    },
    async close() {
      closed = true;
      const sending = bounded(Promise.all(lanes.values()), CLOSE_MS, 'waiting for running sends');
      await sending.catch(err => log.warn({ err }, 'Kafka is closed while records are being sent'));
      const last = session;
      session = undefined;
      restUntil = Number.POSITIVE_INFINITY;
      if (!last) return;
      const opened = await bounded(last, CLOSE_MS, 'connecting').catch(() => undefined);
      if (opened) await disconnect(opened.producer);
    },
  };
}

/**
 * Retries temporary failures, such as a change of the partition's leader, for `withinMs`. The records keep their
 * numbers, because the same producer sends them and sends nothing else to the partition in between.
 */
async function retryQuickFailures<T>(send: () => Promise<T>, withinMs: number): Promise<T> {
  const until = Date.now() + withinMs;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if ((error as Error).name !== 'KafkaJSNumberOfRetriesExceeded' || Date.now() > until) throw error;
      await delay(backoffMs(attempt, FIRST_REST_MS, LONGEST_REST_MS));
    }
  }
}

const TOO_LARGE = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'];

/** Returns whether the broker refuses the records because of their size. */
export function isTooLarge(error: unknown): boolean {
  const { type, cause } = error as { type?: string; cause?: unknown };
  return TOO_LARGE.includes(type ?? '') || (cause !== undefined && cause !== null && isTooLarge(cause));
}
