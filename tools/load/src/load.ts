import { arrivals, openLoop } from '@recording-request/bench/load/open-loop';
import { contribute } from './contributors/contributor.ts';
import type { Tally } from './measure/tally.ts';
import { READS_PER_CLIP, readSomething } from './owners/reads.ts';
import type { System } from './system.ts';

export interface Stretch {
  /** The start, in milliseconds from now, and the duration of arrivals. */
  fromMs: number;
  forMs: number;
  clipsPerMinute: number;
  tally: Tally;
  /** The name of the random sequence for this stretch. */
  name: string;
}

/**
 * Plays one contributor until the clip has landed. Resolves to a promise, `through`, that resolves when the clip is
 * complete.
 */
export async function oneContributor(
  system: System,
  { tally, name, intendedAt }: { tally: Tally; name: string; intendedAt: number },
): Promise<{ through: Promise<void> } | undefined> {
  const random = system.random.fork(name);
  const { entry, seconds } = system.newTake(random.pick(system.places), random);
  const { http, signal, broken } = system;
  const visit = { http, tally, random, signal, entry, violations: broken, seconds, intendedAt };
  const landedAt = await contribute(visit);
  // Drops the bytes, because the bytes of thousands of takes would fill the memory. The checker compares hashes.
  entry.take = { ...entry.take, bytes: Buffer.alloc(0) };
  if (landedAt === undefined || entry.submissionId === undefined) return undefined;
  return { through: system.pipeline.landed(entry.submissionId, landedAt, tally) };
}

/**
 * Lets contributors and owners arrive at random times, independent of the product's speed. Resolves when the last of
 * them is done.
 */
export async function runStretch(
  system: System,
  { fromMs, forMs, clipsPerMinute, tally, name }: Stretch,
): Promise<void> {
  const { signal } = system;
  const times = (kind: string, perMinute: number) =>
    arrivals(perMinute, forMs, system.random.fork(`${name}/${kind}`).next).map(time => fromMs + time);
  const people = openLoop(
    (at, intendedAt) => oneContributor(system, { tally, name: `${name}/contributor ${at}`, intendedAt }),
    { times: times('contributors', clipsPerMinute), signal },
  );
  const owners = openLoop(
    (at, intendedAt) => readSomething(system, { tally, random: system.random.fork(`${name}/read ${at}`), intendedAt }),
    { times: times('owners', READS_PER_CLIP * clipsPerMinute), signal },
  );
  await Promise.all([people, owners]);
}
