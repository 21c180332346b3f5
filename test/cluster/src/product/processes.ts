import { cgroupsOf, commandOf, processIds } from '@recording-request/harness/proc';

/** Returns the id of a pod's service process, which is a process of this computer in the pod's cgroup. */
export async function mainOf(podUid: string): Promise<number> {
  for (const pid of await processIds())
    if ((await cgroupsOf(pid)).includes(podUid) && (await commandOf(pid)).includes('src/main.ts')) return pid;
  throw new Error(`the pod ${podUid} has no service process`);
}
