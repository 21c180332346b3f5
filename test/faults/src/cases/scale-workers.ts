import { setTimeout as delay } from 'node:timers/promises';
import type { FaultCase } from '../fault-case.ts';

const WORKERS = ['media', 'transcription', 'webhooks'] as const;
const MOST = 5;

export const scaleWorkers: FaultCase = {
  name: 'scale-workers-in-a-storm',
  promise: 'Each worker can scale from one process to five and back under load: no work is done twice or left undone',
  bounded: false,
  weight: 2,
  harness: {
    most: { media: MOST, transcription: MOST, webhooks: MOST },
    env: { KAFKA_PARTITIONS: String(MOST) },
  },
  async run(harness, { random, submissions, short }) {
    const load = harness.load(submissions, random.fork('load'), { width: 12, speech: 0.2 });
    for (let times = 0; times < (short ? 1 : 2); times++) {
      for (const count of [MOST, 1]) {
        await delay(random.integer(500, 3_000));
        // Starts one worker after the other, because starting fifteen processes at once would only test the machine.
        for (const worker of WORKERS) await harness.fleet.scale(worker, count);
      }
    }
    await load;
  },
};
