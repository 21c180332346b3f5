import { newEvent, UNKNOWN_EVENT } from '@recording-request/events/event';
import { uuidv7 } from '@recording-request/kit/ids';
import { Event } from '@recording-request/proto/events/v1/events';
import { waitFor } from '@recording-request/stack/wait';
import { Kafka, logLevel } from 'kafkajs';
import mongoose from 'mongoose';
import type { Harness } from '../harness/harness.ts';

/** Data that a later version would send and store. Every process must preserve it. */
export interface Tomorrow extends AsyncDisposable {
  /** Publishes an event of an unknown kind to each topic. */
  publish(): Promise<void>;
  /** Reports losses: an unknown event that is not a dead letter, or an unknown field that is missing in its document. */
  judge(): Promise<void>;
}

const TYPE = 'of.tomorrow';
const FIELD = 'ofTomorrow';
/** The protobuf encoding of field 2000 with a number. */
const UNKNOWN_FIELD = Buffer.from([0x80, 0x7d, 0x01]);
const TOPICS = [
  ...['projects.events', 'submissions.events', 'webhooks.events', 'owners.events'],
  ...['media.events', 'transcription.events', 'media.work'],
];
const MIRRORED = ['projects.events', 'submissions.events', 'media.events', 'transcription.events'];
const DOCUMENTS = {
  submissions: ['submissions'],
  projects: ['projects', 'links', 'responses'],
  webhooks: ['deliveries', 'endpoints', 'feed', 'feedstarts'],
};
const MARK_MS = 1_000;
const WAIT_MS = 60_000;

/** Starts to send every event a second time with an unknown field, and to add an unknown field to documents. */
export async function openTomorrow(harness: Harness): Promise<Tomorrow> {
  const { serversEnv, topicPrefix } = harness;
  await using opening = new AsyncDisposableStack();
  const kafka = new Kafka({ brokers: serversEnv.KAFKA_BROKERS!.split(','), logLevel: logLevel.NOTHING });
  const producer = opening.adopt(kafka.producer(), each => each.disconnect());
  await producer.connect();
  const send = (topic: string, key: Buffer | string | null, value: Buffer) =>
    producer.send({ topic: topicPrefix + topic, messages: [{ key, value }] });
  opening.adopt(await mirror(kafka, topicPrefix, send), each => each.disconnect());
  const mongo = opening.adopt(await mongoose.createConnection(serversEnv.MONGO_URL!).asPromise(), each => each.close());
  const fields = markDocuments(mongo, topicPrefix.replace(/\.$/, '_'));
  opening.defer(async () => void (await fields.stop()));
  let sent = 0;
  const opened = opening.move();
  return {
    async publish() {
      for (const topic of TOPICS) {
        await send(topic, uuidv7(), futureEvent());
        sent += 1;
      }
    },
    async judge() {
      const letters = mongo.useDb(`${topicPrefix.replace(/\.$/, '_')}submissions`).collection('deadLetters');
      const waiting = async () =>
        (await letters.countDocuments({ reason: UNKNOWN_EVENT, eventType: TYPE })) === sent || undefined;
      await waitFor(`${sent} dead letters of unknown events`, waiting, { timeoutMs: WAIT_MS }).catch(error =>
        harness.violated(`an unknown event was lost: ${error.message}`),
      );
      const marked = await fields.stop();
      harness.noted(
        `${sent} events of an unknown kind are dead letters; ${marked.count} documents kept an unknown field`,
      );
      for (const where of marked.lost) harness.violated(`an unknown field is missing in ${where}`);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function futureEvent(): Buffer {
  const value = { projectId: uuidv7(), submissionId: uuidv7() };
  const event = newEvent('submission.erased', { $case: 'submissionErased', value });
  return Buffer.concat([Event.encode({ ...event, type: TYPE, payload: undefined }).finish(), UNKNOWN_FIELD]);
}

type Send = (topic: string, key: Buffer | null, value: Buffer) => Promise<unknown>;

/** Sends each event again in the form of a later version; consumers accept duplicates. */
async function mirror(kafka: Kafka, prefix: string, send: Send) {
  const consumer = kafka.consumer({ groupId: `${prefix}mirror` });
  await consumer.connect();
  await consumer.subscribe({ topics: MIRRORED.map(topic => prefix + topic) });
  await consumer.run({
    async eachMessage({ topic, message: { key, value, headers } }) {
      const isMine = !value || value.subarray(-UNKNOWN_FIELD.length).equals(UNKNOWN_FIELD);
      if (isMine || headers?.['replayed-for']) return;
      await send(topic.slice(prefix.length), key, Buffer.concat([value, UNKNOWN_FIELD]));
    },
  });
  return consumer;
}

/**
 * Adds the field to every new document. `stop` returns the number of marked documents, and the documents that have lost
 * the field.
 */
function markDocuments(mongo: mongoose.Connection, prefix: string) {
  const collections = Object.entries(DOCUMENTS).flatMap(([database, names]) =>
    names.map(name => ({ name, of: mongo.useDb(prefix + database, { useCache: true }).collection(name) })),
  );
  const ids = new Map(collections.map(({ name }) => [name, new Set<unknown>()]));
  const mark = async () => {
    for (const { name, of } of collections)
      for await (const { _id } of of.find({ [FIELD]: { $exists: false } }, { projection: { _id: 1 } })) {
        const { matchedCount } = await of.updateOne({ _id }, { $set: { [FIELD]: 'kept' } });
        if (matchedCount === 1) ids.get(name)!.add(_id);
      }
  };
  let marking: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    marking = marking.then(mark, mark);
  }, MARK_MS);
  let stopped: Promise<{ count: number; lost: string[] }> | undefined;
  const end = async () => {
    clearInterval(timer);
    await marking.catch(() => {});
    const lost: string[] = [];
    for (const { name, of } of collections) {
      const without = await of.find({ [FIELD]: { $exists: false } }, { projection: { _id: 1 } }).toArray();
      for (const { _id } of without) if (ids.get(name)!.has(_id)) lost.push(`${name} ${_id}`);
    }
    return { count: [...ids.values()].reduce((sum, { size }) => sum + size, 0), lost };
  };
  return {
    stop() {
      stopped ??= end();
      return stopped;
    },
  };
}
