import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@recording-request/stack/random';
import type { ServiceName } from '@recording-request/stack/service-plan';
import { forgetMoments, onCommit, onPublished, onTransaction } from '../proxy/moments.ts';
import type { Process } from './fleet.ts';
import type { Harness } from './harness.ts';

export interface Killing {
  service: ServiceName;
  times: number;
  random: Random;
  signal: AbortSignal;
  /** The collections to which the service writes; [] for a service whose transactions trigger the kills. */
  collections: string[];
}

/** The maximum delay before a kill at a random time, in milliseconds. */
const PAUSE_MS = 2_000;
/** The maximum time for which a kill waits for a write, in milliseconds. */
const PATIENCE_MS = 3_000;
const AWAY_MS = 500;

/**
 * Kills the processes of a service in turn, `times` in all, and starts each again. Some kills happen at a random time,
 * others when a write to a collection, a transaction or a publication was acknowledged. Returns the number of kills.
 */
export async function killInTurn(harness: Harness, killing: Killing): Promise<number> {
  const { service, times, random, signal } = killing;
  const { fleet } = harness;
  const processes = fleet.of(service);
  let moments = 0;
  let kills = 0;
  for (; kills < times && !signal.aborted; kills += 1) {
    const process = processes[kills % processes.length]!;
    if (await killOne(harness, process, killing)) moments += 1;
    await delay(random.integer(0, AWAY_MS), undefined, { signal });
    await fleet.start(process);
  }
  harness.noted(`${service} was killed ${kills} times, ${moments} of them between a write and its acknowledgement`);
  return kills;
}

/** Returns true if the kill happened directly after a write. */
async function killOne({ fleet }: Harness, process: Process, killing: Killing): Promise<boolean> {
  const { random, collections, signal } = killing;
  const kind = random.pick(['time', 'commit', 'publish'] as const);
  const skip = random.integer(0, 4);
  const pauseMs = random.integer(0, PAUSE_MS);
  let killed: Promise<void> | undefined;
  const hit = Promise.withResolvers<void>();
  const kill = () => {
    killed = fleet.kill(process);
    hit.resolve();
  };
  if (kind === 'commit' && collections.length > 0) onCommit(process, collections, skip, kill);
  if (kind === 'commit' && collections.length === 0) onTransaction(process, skip, kill);
  if (kind === 'publish') onPublished(process, skip, kill);
  await Promise.race([hit.promise, delay(kind === 'time' ? pauseMs : PATIENCE_MS, undefined, { signal })]);
  forgetMoments(process);
  const isHit = killed !== undefined;
  await (killed ?? fleet.kill(process));
  return isHit;
}
