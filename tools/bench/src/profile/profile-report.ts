import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CpuProfile, serviceOf, type Usage, usageOf } from './cpu-profile.ts';

const LINES = 15;

/** Returns the use of CPU time of each service, from the profiles in `dir`, which has one folder for each set of services. */
export async function profileReport(dir: string): Promise<string> {
  const found = (await readdir(dir, { recursive: true })).filter(name => name.endsWith('.cpuprofile')).sort();
  const usages = new Map<string, Usage[]>();
  for (const name of found) {
    const profile = JSON.parse(await readFile(join(dir, name), 'utf8')) as CpuProfile;
    const service = serviceOf(profile);
    if (!service) continue;
    const key = `${name.split('/')[0]}, ${service}`;
    usages.set(key, [...(usages.get(key) ?? []), usageOf(profile)]);
  }
  return [...usages].map(([key, of]) => tableOf(key, of)).join('\n\n');
}

/** Lists each package's and each function's share of the busy time. */
function tableOf(key: string, usages: Usage[]): string {
  const busy = usages.reduce((sum, { busyMs }) => sum + busyMs, 0);
  const owners = largest(usages.map(({ owners }) => owners));
  const functions = largest(usages.map(({ functions }) => functions));
  const line = ([name, ms]: [string, number]) => `  ${((100 * ms) / busy).toFixed(1).padStart(5)} %  ${name}`;
  return [`${key}: busy for ${(busy / 1_000).toFixed(1)} s`, ...owners.map(line), '', ...functions.map(line)].join(
    '\n',
  );
}

function largest(maps: Map<string, number>[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const map of maps) for (const [name, ms] of map) sums.set(name, (sums.get(name) ?? 0) + ms);
  return [...sums].sort(([, one], [, other]) => other - one).slice(0, LINES);
}
