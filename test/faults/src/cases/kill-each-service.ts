import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@recording-request/stack/random';
import { SERVICES } from '@recording-request/stack/service-plan';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';

// More than one part of a multipart upload, so that a kill can leave an open multipart upload.
const LARGE_BYTES = 9 * 1024 * 1024;

async function large(harness: Harness, random: Random, count: number): Promise<void> {
  const { plain } = await harness.projects();
  for (let at = 0; at < count; at++) {
    const mine = random.fork(`large ${at}`);
    const take = harness.take(mine, { padBytes: LARGE_BYTES });
    await harness.contribute({ project: plain }, take, mine, { chunkBytes: 1024 * 1024 });
  }
}

/** Kills each of the six services several times, at random moments, and restarts it as a supervisor would. */
export const killEachService: FaultCase = {
  name: 'kill-each-service',
  promise: 'Any service can be killed at any line under load: no take is lost, duplicated or incomplete',
  bounded: true,
  weight: 3,
  async run(harness, { random, submissions, short }) {
    const { fleet } = harness;
    let loading = true;
    const load = Promise.all([
      harness.load(submissions, random.fork('load')),
      large(harness, random, short ? 1 : 4),
    ]).finally(() => {
      loading = false;
    });
    const killings = SERVICES.map(async service => {
      const moments = random.fork(service);
      const [process] = fleet.of(service);
      for (let times = 0; times < (short ? 1 : 3) && loading; times++) {
        await delay(moments.integer(300, short ? 6_000 : 12_000));
        await fleet.kill(process!);
        await delay(moments.integer(0, 1_500));
        await fleet.start(process!);
      }
    });
    await Promise.all([load, ...killings]);
  },
};
