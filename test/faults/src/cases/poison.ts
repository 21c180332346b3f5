import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newEvent } from '@recording-request/events/event';
import { uuidv7 } from '@recording-request/kit/ids';
import { Event } from '@recording-request/proto/events/v1/events';
import type { Random } from '@recording-request/stack/random';
import { waitFor } from '@recording-request/stack/wait';
import { Kafka, logLevel, type Producer } from 'kafkajs';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';

const TOPICS = ['submissions.events', 'media.work', 'transcription.work', 'media.events', 'transcription.events'];
/** The size of the largest record that fits into a Kafka batch. The record's dead letter must fit too. */
const MOST_BYTES = 1_048_588 - 150;
const DEAD_LETTER_MS = 120_000;

export const poison: FaultCase = {
  name: 'poison-messages',
  promise:
    'A record that no consumer can read is logged and goes to the dead-letter topic, and the records after it are handled',
  bounded: false,
  harness: { expected: { deadLetters: true } },
  async run(harness, { random, submissions }) {
    const client = new Kafka({ brokers: harness.serversEnv.KAFKA_BROKERS!.split(','), logLevel: logLevel.NOTHING });
    const producer = client.producer();
    const admin = client.admin();
    await Promise.all([producer.connect(), admin.connect()]);
    try {
      const load = harness.load(submissions, random.fork('load'), { speech: 0.3 });
      const sent = await poisonAll(harness, producer, random.fork('poison'));
      await load;
      const deadLettered = async () => {
        const offsets = await admin.fetchTopicOffsets(`${harness.topicPrefix}parked`);
        const count = offsets.reduce((sum, { high }) => sum + Number(high), 0);
        return count >= sent ? count : undefined;
      };
      const what = `${sent} records in the dead-letter topic`;
      const wait = { timeoutMs: DEAD_LETTER_MS, checkMs: 10_000, intervalMs: 300 };
      await waitFor(what, deadLettered, wait).catch(error =>
        harness.violated(`a bad record is missing in the dead-letter topic: ${error.message}`),
      );
    } finally {
      await Promise.all([producer.disconnect(), admin.disconnect()]);
    }
    for (const service of ['media', 'transcription', 'submissions', 'webhooks']) {
      const log = await readFile(join(harness.dataDir, 'logs', `${service}-0.log`), 'utf8');
      if (!log.includes('An event goes to the dead letter topic'))
        harness.violated(`${service} sent a record to the dead-letter topic without a log line`);
    }
  },
};

/** Sends each kind of bad record to each topic. Returns the number of expected dead letters. */
async function poisonAll(harness: Harness, producer: Producer, random: Random): Promise<number> {
  let sent = 0;
  for (const topic of TOPICS)
    for (const value of [...nonsense(random), ...misfits(topic)]) {
      const partition = random.integer(0, 1);
      await producer.send({ topic: harness.topicPrefix + topic, messages: [{ key: 'poison', partition, value }] });
      sent += 1;
    }
  return sent;
}

/** Returns records that are not events. */
function nonsense(random: Random): (Buffer | null)[] {
  const known = Buffer.from(Event.encode(newEvent('submission.erased', erasedOf('', ''))).finish());
  return [
    random.bytes(random.integer(1, 300)),
    null,
    Buffer.alloc(0),
    Buffer.from('{"type":"submission.completed"}'),
    known.subarray(0, known.length - 1),
    // An event of an unknown type: its payload has an unknown field number.
    Buffer.concat([
      Event.encode({
        ...newEvent('submission.erased', erasedOf('', '')),
        type: 'of.tomorrow',
        payload: undefined,
      }).finish(),
      Buffer.from([0xfa, 0x01, 0x00]),
    ]),
    Buffer.alloc(MOST_BYTES, random.bytes(1_000)),
  ];
}

/** Returns valid events that the consumer of the topic cannot handle. */
function misfits(topic: string): Buffer[] {
  const ids = { projectId: uuidv7(), submissionId: uuidv7() };
  const erased = newEvent('submission.erased', erasedOf(ids.projectId, ids.submissionId));
  const events = {
    'submissions.events': [newEvent('submission.completed', { $case: 'submissionCompleted', value: {} as never })],
    'media.work': [erased, newEvent('submission.transcript.requested', { $case: 'jobRequested', value: ids })],
    'transcription.work': [erased, newEvent('submission.media.requested', { $case: 'jobRequested', value: ids })],
    'media.events': [
      newEvent('media.processed', {
        $case: 'mediaProcessed',
        value: { ...ids, video: undefined, audio: undefined, thumbnails: [], inspection: undefined },
      }),
    ],
    'transcription.events': [],
  } as Record<string, Event[]>;
  return events[topic]!.map(event => Buffer.from(Event.encode(event).finish()));
}

const erasedOf = (projectId: string, submissionId: string) =>
  ({ $case: 'submissionErased', value: { projectId, submissionId } }) as const;
