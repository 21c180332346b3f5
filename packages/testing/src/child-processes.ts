import { childrenOf, statusOf } from '@recording-request/harness/proc';

// The kernel keeps the peak of each child, so that only its last moments are missed.
const SAMPLE_MS = 50;

/** Looks at the most that each child of this process has had resident, again and again. */
export function watchMemory() {
  let peak = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    for (const pid of await childrenOf(process.pid))
      peak = Math.max(peak, Number.parseInt((await statusOf(pid, 'VmHWM')) ?? '0', 10) * 1024);
  };
  return {
    start: () => {
      timer = setInterval(() => void look(), SAMPLE_MS);
    },
    stop: () => clearInterval(timer),
    peakBytes: () => peak,
  };
}
