import { childrenOf, statusOf } from '@recording-request/harness/proc';

// The kernel keeps each child's peak, so the last sample misses only later growth.
const SAMPLE_MS = 50;

/** Samples the peak resident memory of each child of this process. */
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
