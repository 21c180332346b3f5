import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@recording-request/stack/random';
import type { ContributeOptions } from '../contributors/contributor.ts';
import type { Entry } from '../contributors/ledger.ts';
import type { Take, TakePool } from '../contributors/takes.ts';
import type { Owner, Project } from '../owner/owner.ts';

export interface LoadOptions {
  /** The number of concurrent contributors. */
  width?: number;
  /** The minimum time between the starts of two consecutive contributors in one of the `width` lanes; 0 by default. */
  everyMs?: number;
  /** The share of takes with speech, in a project with transcription. */
  speech?: number;
  /** Makes all takes. Without it, takes come from the pool. */
  takes?: (random: Random) => Take;
  contribute?: ContributeOptions;
}

/** Runs `count` contributors. */
export type Load = (count: number, random: Random, options?: LoadOptions) => Promise<Entry[]>;

interface LoadDeps {
  pool: TakePool;
  signal: AbortSignal;
  projects(): Promise<{ plain: Project; spoken: Project }>;
  contribute(
    place: { project: Project; url?: string },
    take: Take,
    random: Random,
    options?: ContributeOptions,
  ): Promise<Entry>;
}

const WIDTH = 8;
const SPEECH = 0.12;

export function createLoad({ pool, signal, projects, contribute }: LoadDeps): Load {
  return async (count, random, { width = WIDTH, everyMs = 0, speech = SPEECH, takes, contribute: how } = {}) => {
    const { plain, spoken } = await projects();
    const entries: Entry[] = [];
    let busy = 0;
    let started = 0;
    const lane = async () => {
      while (entries.length + busy < count && !signal.aborted) {
        busy++;
        const next = delay(everyMs, undefined, { signal }).catch(() => {});
        const mine = random.fork(`take ${started++}`);
        const speaks = !takes && mine.chance(speech);
        const take = takes ? takes(mine) : pool.take(mine, { speaks });
        const url = speaks ? undefined : plain.uniqueUrls.pop();
        const entry = await contribute({ project: speaks ? spoken : plain, url }, take, mine, how);
        busy--;
        entries.push(entry);
        if (started < count) await next;
      }
    };
    await Promise.all(Array.from({ length: Math.min(width, count) }, lane));
    return entries;
  };
}

/** Creates two projects for load, without and with transcription. */
export async function twoProjects(owner: Owner): Promise<{ plain: Project; spoken: Project }> {
  const plain = await owner.create({ count: 5 });
  const spoken = await owner.create({ transcriptionEnabled: true });
  return { plain, spoken };
}
