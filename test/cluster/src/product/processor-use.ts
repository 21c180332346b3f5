import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { parseMachine } from '@recording-request/harness/proc-stat';
import { mainOf } from './processes.ts';
import type { Pod } from './product.ts';

const CPUACCT = '/sys/fs/cgroup/cpuacct';

/** The processor use over a period. */
export interface ProcessorUse {
  /** The number of processors that the pods used together. */
  pods: number;
  /** The number of processors in use on this machine, including the pods. */
  machine: number;
}

/** Starts to measure the processor use of these pods and of this machine. Returns a function that returns the use since then. */
export async function watchProcessors(pods: readonly Pod[]): Promise<() => Promise<ProcessorUse>> {
  const groups = await Promise.all(pods.map(({ uid }) => groupOf(uid)));
  const look = async () => {
    const used = await Promise.all(groups.map(async group => Number(await readFile(group, 'utf8')) / 1e9));
    const { busy, all } = parseMachine(await readFile('/proc/stat', 'utf8'));
    return { pods: used.reduce((sum, seconds) => sum + seconds, 0), busy, all, at: performance.now() / 1_000 };
  };
  const before = await look();
  return async () => {
    const now = await look();
    return {
      pods: (now.pods - before.pods) / (now.at - before.at),
      machine: (cpus().length * (now.busy - before.busy)) / (now.all - before.all),
    };
  };
}

/** Returns the path of the kernel's file with the CPU time of a pod. This time includes programs that have ended. */
async function groupOf(podUid: string): Promise<string> {
  const lines = (await readFile(`/proc/${await mainOf(podUid)}/cgroup`, 'utf8')).split('\n');
  const path = lines.map(line => line.split(':')).find(([, names = '']) => names.split(',').includes('cpuacct'))?.[2];
  if (path === undefined) throw new Error(`the pod ${podUid} has no cgroup of cpuacct`);
  return join(CPUACCT, dirname(path), 'cpuacct.usage');
}
