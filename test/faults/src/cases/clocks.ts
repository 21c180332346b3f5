import { setTimeout as delay } from 'node:timers/promises';
import { ensure } from '@recording-request/stack/install/ensure';
import { fakeClock } from '@recording-request/stack/install/faketime';
import type { Random } from '@recording-request/stack/random';
import { badAnswers } from '../check/answers.ts';
import { byHand } from '../contributors/by-hand.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';

const OFF_SECONDS = 10;
const CLAIMS = 6;
const TAKES = { short: 12, long: 40 };

/** The clock offsets of single processes, in seconds. Some are ahead, others behind. */
const OFF: Record<string, number> = {
  'submissions 1': OFF_SECONDS,
  'projects 1': -OFF_SECONDS,
  'webhooks 1': OFF_SECONDS,
  'media 0': -OFF_SECONDS,
  'transcription 0': OFF_SECONDS,
};

export const clocks: FaultCase = {
  name: 'clocks-apart',
  promise: 'Processes whose clocks differ by 10 s share claims, leases and sweeps correctly',
  bounded: false,
  weight: 0,
  restMs: 120_000,
  harness: {
    processes: { submissions: 2, projects: 2, webhooks: 2 },
    env: { UPLOAD_LEASE_SECONDS: '5', LANDING_LEASE_SECONDS: '5', CLAIM_EMPTY_HOLD_SECONDS: '20' },
    async servers() {
      await ensure(['faketime'], () => {});
      return {};
    },
    processEnv: (service, index) => fakeClock(OFF[`${service} ${index}`] ?? 0),
  },
  async run(harness, { random, short, signal }) {
    const load = harness.load(TAKES[short ? 'short' : 'long'], random.fork('load'));
    const writers = Promise.all(
      Array.from({ length: short ? 2 : 6 }, (_, at) => paused(harness, random.fork(`paused ${at}`), signal)),
    );
    // Makes several claims, so that different processes begin and release them.
    const claims = Promise.all(
      Array.from({ length: CLAIMS }, (_, at) => emptyClaim(harness, random.fork(`empty ${at}`), signal)),
    );
    await Promise.all([load, writers, claims]);
    badAnswers(harness);
  },
};

/**
 * Sends an upload with pauses. Each pause is shorter than the upload's lease, but longer than a sweep interval plus the
 * difference of the clocks.
 */
async function paused(harness: Harness, random: Random, signal: AbortSignal): Promise<void> {
  const { plain } = await harness.projects();
  const take = harness.take(random, { padBytes: 60_000 });
  const hand = byHand(harness, { project: plain }, take);
  await hand.begin();
  await hand.create();
  let offset = 0;
  for (let times = 0; times < 4; times++) {
    const end = offset + random.integer(1, 10_000);
    const answer = await hand.patch(offset, { end });
    if (answer.status !== 204)
      return harness.violated(`a PATCH after a pause returned ${answer.what}: ${answer.bytes}`);
    offset = end;
    await delay(random.integer(1_000, 4_000), undefined, { signal });
  }
  await hand.finish(offset);
}

/**
 * Checks that a claim without a byte keeps its use for its hold time and then releases the use. Any process may sweep.
 */
async function emptyClaim(harness: Harness, random: Random, signal: AbortSignal): Promise<void> {
  const project = await harness.owner.create({ sharedLinkMaxUses: 1 });
  const first = byHand(harness, { project }, harness.take(random.fork('first')));
  const second = byHand(harness, { project }, harness.take(random.fork('second')));
  const began = Date.now();
  await first.begin();
  for (;;) {
    const answer = await second.begin();
    const seconds = (Date.now() - began) / 1_000;
    if (answer.status === 201) {
      if (seconds < 18) harness.violated(`a claim with a hold of 20 s was released after ${seconds} s`);
      break;
    }
    if (seconds > 60) return harness.violated(`a claim with a hold of 20 s was not released within ${seconds} s`);
    await delay(500, undefined, { signal });
  }
  Object.assign(first.entry, { why: 'its claim was released' });
  await second.create();
  await second.finish(0);
}
