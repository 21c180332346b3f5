import { quantile } from '@recording-request/bench/stats/interval';
import { forgetPeak, peakOf, residentOf } from '@recording-request/harness/proc';
import type { Cluster } from '@recording-request/stack/cluster';
import { SERVICES, type ServiceName } from '@recording-request/stack/service-plan';

/** The resident memory of one service's process during a step, in bytes. */
export interface MemoryUse {
  start: number;
  highest: number;
  end: number;
  /** The medians of the second and the last quarter of the step. */
  early: number;
  late: number;
}

export type Memory = Record<ServiceName, MemoryUse>;

const SAMPLE_MS = 1_000;
/** The number of bytes by which a heap may vary between two collections, in addition to a share of its size. */
const SLACK_BYTES = 8 * 1024 ** 2;
const SLACK_SHARE = 0.1;

/** Samples the services' memory once a second until the caller reads it. */
export function watchMemory(services: Cluster['services']): { read(): Memory } {
  const samples = new Map(SERVICES.map(name => [name, [residentOf(services[name].pid)]]));
  for (const name of SERVICES) forgetPeak(services[name].pid);
  const look = () => {
    for (const [name, values] of samples)
      try {
        values.push(residentOf(services[name].pid));
      } catch {
        // The process has ended. The run reports this elsewhere.
      }
  };
  const timer = setInterval(look, SAMPLE_MS);
  timer.unref();
  return {
    read() {
      clearInterval(timer);
      look();
      const use = (name: ServiceName) => useOf(samples.get(name)!, peakOf(services[name].pid));
      return Object.fromEntries(SERVICES.map(name => [name, use(name)])) as Memory;
    },
  };
}

/** Returns the summary of samples at equal intervals. */
export function useOf(samples: readonly number[], highest = Math.max(...samples)): MemoryUse {
  const quarter = (from: number) => {
    const at = (share: number) => Math.floor((samples.length * share) / 4);
    return quantile(samples.slice(at(from), Math.max(at(from) + 1, at(from + 1))), 0.5);
  };
  return { start: samples[0]!, highest, end: samples.at(-1)!, early: quarter(1), late: quarter(3) };
}

/**
 * Returns true if memory has stayed flat. Compares the medians of the second and the last quarter of a step, so that a
 * single collection has no effect. Skips the first quarter, in which a process allocates memory for its new load.
 * Growth up to a tenth plus 8 MiB counts as flat: a process that keeps 100 KB of each clip would fail after 180 clips.
 */
export const isFlat = ({ early, late }: MemoryUse): boolean => late <= early * (1 + SLACK_SHARE) + SLACK_BYTES;
