import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@recording-request/stack/service-plan';
import { waitFor } from '@recording-request/stack/wait';
import type { FaultCase } from '../fault-case.ts';
import type { Bench } from '../harness/harness.ts';
import { childrenOf } from '../harness/processes.ts';

/** Longer than a Kafka member may be silent (10 s), and than any lease of this suite. */
const HALT_MS = 16_000;

/** Halts one of two, so that the other takes over what it holds, and lets it go on as if nothing had been. */
async function halt(bench: Bench, service: ServiceName): Promise<void> {
  const [process] = bench.fleet.of(service);
  bench.fleet.halt(process!);
  await delay(HALT_MS);
  bench.fleet.resume(process!);
}

export const haltMedia: FaultCase = {
  name: 'halt-media-past-its-lease',
  promise:
    'A media process that stands still past its lease and then goes on changes nothing that another did meanwhile',
  bounded: false,
  stage: { processes: { media: 2 } },
  async run(bench, { random, submissions, short, signal }) {
    const load = bench.load(submissions, random.fork('load'));
    const { plain } = await bench.projects();
    for (let times = 0; times < (short ? 1 : 2); times++) {
      const [media] = bench.fleet.of('media');
      const mine = random.fork(`take ${times}`);
      await bench.contribute({ project: plain }, bench.take(mine), mine);
      const working = async () => ((await childrenOf(media!.pid!)).length > 0 ? true : undefined);
      // It may be the other one's turn: a halt without a job is a halt all the same.
      await waitFor('a job of media', working, { timeoutMs: 5_000, intervalMs: 5, signal }).catch(() => {});
      await halt(bench, 'media');
    }
    await load;
  },
};

export const haltOthers: FaultCase = {
  name: 'halt-services-past-their-leases',
  promise:
    'A writer, a relay or a sender that stands still past its lease finds it taken, and harms nothing when it goes on',
  bounded: false,
  stage: { processes: { submissions: 2, projects: 2, webhooks: 2, transcription: 2 } },
  async run(bench, { random, submissions }) {
    const load = bench.load(submissions, random.fork('load'));
    for (const service of ['submissions', 'webhooks', 'projects', 'transcription'] as const) {
      await delay(random.integer(200, 2_000));
      await halt(bench, service);
    }
    await load;
  },
};
