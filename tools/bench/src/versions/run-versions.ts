import { join } from 'node:path';
import { checkOut } from '@recording-request/stack/install/check-out';
import type { Log } from '@recording-request/stack/log';
import { startServers } from '@recording-request/stack/servers';
import { type Costs, countCosts } from '../counts/costs.ts';
import { tableOf } from '../counts/table.ts';
import { openTaps } from '../counts/taps.ts';
import { ROOT } from '../peers/sources.ts';
import { startSpeechStub } from '../product/speech-stub.ts';
import { medianInterval, quantile } from '../stats/interval.ts';
import { ratiosOf } from './against.ts';
import { namesOf, startVersion } from './version.ts';

export interface VersionsPlace {
  dir: string;
  env: NodeJS.ProcessEnv;
  log: Log;
  signal: AbortSignal;
}

const READS = 200;
const CLIPS = 3;
const ROUNDS = 9;
const TODAY = 'today';

/**
 * Counts the costs of requests and of one clip, for the current commit and, if given, for another commit. Returns the
 * tables.
 */
export async function runCounts(commit: string | undefined, place: VersionsPlace): Promise<string> {
  const { dir, log, signal } = place;
  await using stack = new AsyncDisposableStack();
  const serversEnv = await startBehind(place, stack);
  const costs: Record<string, Costs> = {};
  for (const [version, folder] of Object.entries(await foldersOf(commit, place))) {
    log(`counting ${version} …`);
    const name = `counts-${version}`;
    await using taps = await openTaps(serversEnv);
    await using product = await startVersion({ folder, name, dir, serversEnv, env: taps.env, log, signal });
    costs[version] = await countCosts({
      product,
      taps,
      topicPrefix: namesOf(name).topicPrefix,
      signal,
      reads: READS,
      clips: CLIPS,
    });
  }
  return tableOf(costs);
}

/** Compares the reads of the current services with the reads of another commit's services. Returns the table. */
export async function runAgainst(commit: string, rounds: number | undefined, place: VersionsPlace): Promise<string> {
  const { dir, log, signal } = place;
  await using stack = new AsyncDisposableStack();
  const serversEnv = await startBehind(place, stack);
  const sides = [];
  for (const [version, folder] of Object.entries(await foldersOf(commit, place))) {
    const name = `against-${version}`;
    log(`starting ${version} …`);
    const product = stack.use(await startVersion({ folder, name, dir, serversEnv, log, signal }));
    sides.push({ product, ...namesOf(name) });
  }
  const [now, then] = sides;
  const ratios = await ratiosOf([now!, then!], {
    ...{ mongoUrl: serversEnv.MONGO_URL!, signal, log },
    rounds: rounds ?? ROUNDS,
  });
  return [
    `| of ${commit} | reads a second | CPU of the services for each read |`,
    '|---|---|---|',
    ...Object.entries(ratios).map(([name, { rate, cpu }]) => `| ${name} | ${medianOf(rate)} | ${medianOf(cpu)} |`),
  ].join('\n');
}

/** Returns the median with its interval. With too few values for an interval, returns the median with the range. */
function medianOf(values: number[]): string {
  const { low, high } = medianInterval(values) ?? { low: Math.min(...values), high: Math.max(...values) };
  const [median, least, most] = [quantile(values, 0.5), low, high].map(value => value.toFixed(2));
  return `${median} (${least} to ${most})`;
}

async function foldersOf(commit: string | undefined, { dir, log }: VersionsPlace): Promise<Record<string, string>> {
  if (commit === undefined) return { [TODAY]: ROOT };
  log(`installing ${commit} …`);
  return { [TODAY]: ROOT, [commit.slice(0, 8)]: await checkOut(commit, dir) };
}

/** Starts the servers that all versions use, and returns their variables. */
async function startBehind(
  { dir, env, log, signal }: VersionsPlace,
  stack: AsyncDisposableStack,
): Promise<Record<string, string>> {
  const only = ['mongo', 'kafka', 's3'] as const;
  const servers = await startServers({ dataDir: join(dir, 'servers'), only: [...only], log, signal, env });
  stack.use(servers);
  const speech = stack.use(await startSpeechStub());
  return { ...servers.env, ...speech.env };
}
