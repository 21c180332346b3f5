import { childrenOf, isAlive, nameOf } from '@recording-request/harness/proc';
import { waitFor } from '@recording-request/stack/wait';
import type { FaultCase } from '../fault-case.ts';
import type { Process } from '../harness/fleet.ts';

const JOB_MS = 120_000;
const ORPHAN_MS = 10_000;

export const killMediaInJob: FaultCase = {
  name: 'kill-media-in-mid-job',
  promise: 'Media killed during a job leaves no ffmpeg behind, and another process does the job from the start',
  bounded: false,
  async run(harness, { random, submissions, short }) {
    const { fleet } = harness;
    const [media] = fleet.of('media');
    const load = harness.load(submissions, random.fork('load'));
    const { plain } = await harness.projects();
    for (let times = 0; times < (short ? 1 : 4); times++) {
      // A job must exist even if the load is already done.
      const mine = random.fork(`take ${times}`);
      await harness.contribute({ project: plain }, harness.take(mine), mine);
      const begun = await jobOf(media!);
      if (!begun) continue;
      // A halted ffmpeg cannot end by itself before the check.
      for (const pid of begun) signalTo(pid, 'SIGSTOP');
      await fleet.kill(media!);
      const gone = async () => ((await Promise.all(begun.map(isAlive))).includes(true) ? undefined : true);
      await waitFor('the end of each ffmpeg whose media was killed', gone, { timeoutMs: ORPHAN_MS }).catch(() =>
        harness.violated(`ffmpeg still ran ${ORPHAN_MS / 1_000} s after media was killed`),
      );
      for (const pid of begun) signalTo(pid, 'SIGKILL');
      await fleet.start(media!);
    }
    await load;
  },
};

/** Waits until media runs ffmpeg. Returns the ids of all ffmpeg processes, or undefined if none appeared. */
function jobOf(media: Process): Promise<number[] | undefined> {
  const look = async () => {
    const children = await childrenOf(media.pid!);
    const names = await Promise.all(children.map(nameOf));
    // Skips a child that has not executed ffmpeg yet. While halted, such a child could not notice the end of its
    // parent.
    const running = children.filter((_, at) => names[at] === 'ffmpeg');
    return running.length > 0 ? running : undefined;
  };
  return waitFor('a job of media', look, { timeoutMs: JOB_MS, intervalMs: 5 }).catch(() => undefined);
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}
