import { accessSync, constants, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const ROOT = '/sys/fs/cgroup/cpu';
const PERIOD_US = 100_000;
const NONE = '-1';
const REMOVE_TRIES = 50;
const REMOVE_AGAIN_MS = 100;

/** Limits each process and its children to a share of a core. */
export interface Quotas extends AsyncDisposable {
  /** Limits each process to `cores` until `release`. */
  limit(pids: readonly number[], cores: number): void;
  release(): void;
}

/** Returns undefined when the machine has no writable control group for CPU quotas (cgroup v1, `cpu.cfs_quota_us`). */
export function openQuotas(): Quotas | undefined {
  const own = join(ROOT, `recording-request-bench-${process.pid}`);
  try {
    mkdirSync(own);
    accessSync(join(own, 'cpu.cfs_quota_us'), constants.W_OK);
  } catch {
    return undefined;
  }
  const groups = new Map<number, string>();
  const setAll = (quota: string) => {
    for (const group of groups.values()) writeFileSync(join(group, 'cpu.cfs_quota_us'), quota);
  };
  return {
    limit(pids, cores) {
      for (const pid of pids) {
        const group = groups.get(pid) ?? join(own, String(pid));
        if (!groups.has(pid)) mkdirSync(group);
        groups.set(pid, group);
        writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
        writeFileSync(join(group, 'cgroup.procs'), String(pid));
        writeFileSync(join(group, 'cpu.cfs_quota_us'), String(Math.round(cores * PERIOD_US)));
      }
    },
    release: () => setAll(NONE),
    async [Symbol.asyncDispose]() {
      // A group can be removed only after its processes have ended.
      for (const group of [...groups.values(), own]) await removed(group);
    },
  };
}

async function removed(group: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      rmdirSync(group);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      if (attempt === REMOVE_TRIES) throw new Error(`the control group ${group} still has processes`, { cause: error });
      await delay(REMOVE_AGAIN_MS);
    }
  }
}
