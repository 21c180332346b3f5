import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@recording-request/stack/random';
import { SERVICES } from '@recording-request/stack/service-plan';
import type { Entry } from '../contributors/ledger.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import type { Project } from '../owner/owner.ts';

const LINKS = 20;
const CLIP_SECONDS = 2;
/** One project in ten has transcripts, and one take in ten has speech. */
const SPOKEN_EVERY = 10;
/** Concurrent contributors at each link. */
const WIDTH = 2;
const PATIENCE_MS = 15 * 60_000;
const KILL_EVERY_MS = [4_000, 16_000] as const;
const DOWN_MS = 3_000;

/**
 * The case of `--scale`. A run of all cases excludes it, because this case takes longer than all other cases together.
 */
export const twoThousandClips: FaultCase = {
  name: 'two-thousand-clips',
  promise: 'Two thousand clips at twenty links land despite continuous kills: none is lost, duplicated or incomplete',
  bounded: false,
  limitMs: 45 * 60_000,
  restMs: 12 * 60_000,
  harness: {
    processes: { submissions: 2, projects: 2 },
    env: { KAFKA_PARTITIONS: '6', STUCK_SECONDS: '120', MEDIA_SLOTS: '2', UPLOAD_PART_BYTES: '65536' },
  },
  async run(harness, { random, submissions, signal }) {
    const projects = await Promise.all(
      Array.from({ length: LINKS }, (_, at) => harness.owner.create({ transcriptionEnabled: at % SPOKEN_EVERY === 0 })),
    );
    const storm = new AbortController();
    const end = AbortSignal.any([signal, storm.signal]);
    const killing = killOn(harness, random.fork('storm'), end);
    // The await below reports a process that does not restart. Until then, the run continues.
    killing.catch(() => {});
    const each = Math.ceil(submissions / LINKS);
    const load = Promise.all(projects.map((project, at) => atLink(harness, project, each, random.fork(`link ${at}`))));
    const entries = (await load.finally(() => storm.abort())).flat();
    await killing;
    for (const { outcome, why } of entries) if (outcome !== 'ok') harness.violated(`a take was not accepted: ${why}`);
  },
};

/** Runs `count` contributors at one link, a few at once. */
async function atLink(harness: Harness, project: Project, count: number, random: Random): Promise<Entry[]> {
  const entries: Entry[] = [];
  let started = 0;
  const lane = async () => {
    while (started < count) {
      const mine = random.fork(`take ${started++}`);
      const take = harness.take(mine, { speaks: project.transcription, seconds: CLIP_SECONDS });
      const how = { chunkBytes: 64 * 1024, patienceMs: PATIENCE_MS };
      entries.push(await harness.contribute({ project }, take, mine, how));
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, lane));
  return entries;
}

/** Kills random processes one after the other, and restarts each as a supervisor would. */
async function killOn({ fleet }: Harness, random: Random, end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    await delay(random.integer(...KILL_EVERY_MS), undefined, { signal: end }).catch(() => {});
    if (end.aborted) return;
    const process = random.pick(fleet.of(random.pick(SERVICES)));
    await fleet.kill(process);
    await delay(random.integer(0, DOWN_MS));
    await fleet.start(process);
  }
}
