import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive } from '@recording-request/harness/proc';
import type { ServiceName } from '@recording-request/stack/service-plan';
import { waitFor } from '@recording-request/stack/wait';

const MANIFESTS = fileURLToPath(new URL('../../../../deploy/k8s/base/', import.meta.url));
const MIB = 1024 ** 2;
const PREFIX = 'recording-request-faults.';
const SAMPLE_MS = 100;

/** A cgroup with a container's memory limit: its processes see the limit, and the kernel enforces it. */
export interface MemoryGroup extends AsyncDisposable {
  readonly limitMiB: number;
  /** The sampled peak of its processes' memory in MiB. Excludes the file cache, because the kernel can reclaim it. */
  readonly peakMiB: number;
  /** Returns the number of processes that the kernel killed at the limit. */
  kills(): Promise<number>;
  /** Returns a command that runs the given command and its children in the group. */
  wrap(command: string, args: string[]): [string, string[]];
}

/** The paths of a cgroup version. */
interface Version {
  root: string;
  limit: string;
  usage: string;
  /** The keys of `memory.stat` that count the cache. */
  cache: string[];
  events: string;
}

const V1: Version = {
  root: '/sys/fs/cgroup/memory',
  limit: 'memory.limit_in_bytes',
  usage: 'memory.usage_in_bytes',
  cache: ['total_inactive_file', 'total_active_file'],
  events: 'memory.oom_control',
};
const V2: Version = {
  root: '/sys/fs/cgroup',
  limit: 'memory.max',
  usage: 'memory.current',
  cache: ['inactive_file', 'active_file'],
  events: 'memory.events',
};

/** Returns the memory limit of a service's manifest in MiB. */
export async function manifestMemory(service: ServiceName): Promise<number> {
  const text = await readFile(join(MANIFESTS, `${service}.yaml`), 'utf8');
  const found = /limits: \{[^}]*memory: (\d+)Mi\b/.exec(text)?.[1];
  if (!found) throw new Error(`deploy/k8s/base/${service}.yaml has no memory limit in Mi`);
  return Number(found);
}

/** Makes a group with a limit. This needs root outside a container; returns undefined if it is not possible. */
export async function openMemoryGroup(name: string, limitMiB: number): Promise<MemoryGroup | undefined> {
  for (const version of [V1, V2]) {
    await sweep(version);
    const dir = join(version.root, `${PREFIX}${process.pid}.${name}`);
    try {
      await mkdir(dir);
      await writeFile(join(dir, version.limit), String(limitMiB * MIB));
      return watched(version, dir, limitMiB);
    } catch {
      await rmdir(dir).catch(() => {});
    }
  }
  return undefined;
}

function watched(version: Version, dir: string, limitMiB: number): MemoryGroup {
  let peak = 0;
  const look = async () => {
    const [usage, stat] = await Promise.all([number(join(dir, version.usage)), keys(join(dir, 'memory.stat'))]);
    const cache = version.cache.reduce((sum, key) => sum + (stat.get(key) ?? 0), 0);
    peak = Math.max(peak, usage - cache);
  };
  const timer = setInterval(() => void look().catch(() => {}), SAMPLE_MS);
  timer.unref();
  return {
    limitMiB,
    get peakMiB() {
      return Math.round(peak / MIB);
    },
    kills: async () => (await keys(join(dir, version.events))).get('oom_kill') ?? 0,
    // The shell enters the group before it executes the command, so that the group counts all memory of the command.
    wrap: (command, args) => [
      '/bin/sh',
      ['-c', 'echo 0 > "$0" && exec "$@"', join(dir, 'cgroup.procs'), command, ...args],
    ],
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      // The kernel still counts a killed process until the process is removed.
      const gone = () => rmdir(dir).then(() => true as const);
      await waitFor(`the end of ${dir}`, gone, { timeoutMs: 10_000 });
    },
  };
}

/** Removes the groups of killed runs. */
async function sweep({ root }: Version): Promise<void> {
  for (const name of await readdir(root).catch(() => []))
    if (name.startsWith(PREFIX) && !(await isAlive(Number(name.split('.')[1]))))
      await rmdir(join(root, name)).catch(() => {});
}

const number = async (path: string) => Number(await readFile(path, 'utf8'));

async function keys(path: string): Promise<Map<string, number>> {
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  return new Map(lines.map(line => line.split(' ')).map(([key, value]) => [key!, Number(value)]));
}
