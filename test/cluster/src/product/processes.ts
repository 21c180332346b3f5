import { readdir, readFile } from 'node:fs/promises';

/** The id of the service's process of a pod: it is a process of this computer, in the pod's cgroup. */
export async function mainOf(podUid: string): Promise<number> {
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const group = await readFile(`/proc/${entry}/cgroup`, 'utf8').catch(() => '');
    if (!group.includes(podUid)) continue;
    const line = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '');
    if (line.includes('src/main.ts')) return Number(entry);
  }
  throw new Error(`no process of a service is in the pod ${podUid}`);
}
