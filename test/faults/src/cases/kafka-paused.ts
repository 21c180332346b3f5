import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@recording-request/stack/random';
import { contributeAll } from '../contributors/contribute-all.ts';
import type { FaultCase } from '../fault-case.ts';
import { ownServers } from '../harness/own-servers.ts';

const TERMS_CHARACTERS = 20_000;
/**
 * The clips that land during the pause. Together, their events are several times larger than a broker's largest
 * message.
 */
const LARGE = { short: { clips: 24, haltMs: 8_000 }, long: { clips: 120, haltMs: 20_000 } };
/** Longer than a client retries one batch. */
const LONG = { short: { haltMs: 40_000, after: 6 }, long: { haltMs: 170_000, after: 15 } };

const largeKafka = ownServers('kafka');

export const kafkaPausedLargeTexts: FaultCase = {
  name: 'kafka-paused-large-texts',
  promise: 'Clips with any texts that land while Kafka is paused are announced as soon as it resumes',
  bounded: false,
  weight: 0,
  restMs: 120_000,
  harness: { servers: largeKafka.start, env: { KAFKA_PARTITIONS: '1' } },
  async run(harness, { random, short, signal }) {
    const { clips, haltMs } = LARGE[short ? 'short' : 'long'];
    const project = await harness.owner.create({ requireTerms: true, termsText: characters(random.fork('terms')) });
    largeKafka.halt('kafka');
    const halted = delay(haltMs, undefined, { signal });
    await contributeAll(harness, project, clips, random, { termsAccepted: true });
    await halted;
    largeKafka.resume('kafka');
  },
};

/** Returns random letters of three bytes each. Compression cannot make them much smaller. */
const characters = (random: Random): string =>
  String.fromCharCode(...Array.from({ length: TERMS_CHARACTERS }, () => random.integer(0x4e00, 0x9fff)));

const longKafka = ownServers('kafka');

export const kafkaPausedLong: FaultCase = {
  name: 'kafka-paused-long',
  promise: 'After a pause of Kafka of any length every event is published in order, without a restart',
  bounded: false,
  weight: 0,
  restMs: 120_000,
  harness: { servers: longKafka.start },
  async run(harness, { random, short, signal }) {
    const { haltMs, after } = LONG[short ? 'short' : 'long'];
    await harness.load(2, random.fork('before'), { speech: 0 });
    longKafka.halt('kafka');
    const during = harness.load(1, random.fork('during'), { speech: 0 });
    await delay(haltMs, undefined, { signal });
    longKafka.resume('kafka');
    await during;
    await harness.load(after, random.fork('after'));
  },
};
