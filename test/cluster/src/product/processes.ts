import { cgroupsOf, commandOf, processIds } from '@recording-request/harness/proc';

/** The id of the service's process of a pod: it is a process of this computer, in the pod's cgroup. */
export async function mainOf(podUid: string): Promise<number> {
  for (const pid of await processIds())
    if ((await cgroupsOf(pid)).includes(podUid) && (await commandOf(pid)).includes('src/main.ts')) return pid;
  throw new Error(`no process of a service is in the pod ${podUid}`);
}
