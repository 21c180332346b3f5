import { setTimeout as delay } from 'node:timers/promises';
import { childrenOf } from '@recording-request/harness/proc';
import type { ServiceName } from '@recording-request/stack/service-plan';
import { waitFor } from '@recording-request/stack/wait';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';

/** Longer than Kafka's session timeout (10 s) and than any lease of this suite. */
const HALT_MS = 16_000;

/** Halts one of two processes for long enough that the other takes over its leases, then resumes it. */
async function halt(harness: Harness, service: ServiceName): Promise<void> {
  const [process] = harness.fleet.of(service);
  harness.fleet.halt(process!);
  await delay(HALT_MS);
  harness.fleet.resume(process!);
}

export const haltMedia: FaultCase = {
  name: 'halt-media-past-its-lease',
  promise:
    'A media process that is paused past its lease and resumes changes nothing that another process did meanwhile',
  bounded: false,
  harness: { processes: { media: 2 } },
  async run(harness, { random, submissions, short, signal }) {
    const load = harness.load(submissions, random.fork('load'));
    const { plain } = await harness.projects();
    for (let times = 0; times < (short ? 1 : 2); times++) {
      const [media] = harness.fleet.of('media');
      const mine = random.fork(`take ${times}`);
      await harness.contribute({ project: plain }, harness.take(mine), mine);
      const working = async () => ((await childrenOf(media!.pid!)).length > 0 ? true : undefined);
      // The other process may have the job. The test still halts this process.
      await waitFor('a job of media', working, { timeoutMs: 5_000, intervalMs: 5, signal }).catch(() => {});
      await halt(harness, 'media');
    }
    await load;
  },
};

export const haltOthers: FaultCase = {
  name: 'halt-services-past-their-leases',
  promise:
    'A writer, relay or sender that is paused past its lease finds the lease taken and does no harm when it resumes',
  bounded: false,
  harness: { processes: { submissions: 2, projects: 2, webhooks: 2, transcription: 2 } },
  async run(harness, { random, submissions }) {
    const load = harness.load(submissions, random.fork('load'));
    for (const service of ['submissions', 'webhooks', 'projects', 'transcription'] as const) {
      await delay(random.integer(200, 2_000));
      await halt(harness, service);
    }
    await load;
  },
};
