import { startMeter, TICK_MS } from '@recording-request/harness/meter';
import type { Cluster } from '@recording-request/stack/cluster';
import { SERVICES, type ServiceName } from '@recording-request/stack/service-plan';

/** The CPU use during a step. */
export interface Cpu {
  /** The average number of cores of each service with its ffmpeg. */
  cores: Record<ServiceName, number>;
  /** The share of the machine's CPU time, 0 to 1, that processes outside this run used. */
  foreign: number;
}

/** Measures until the caller reads it. */
export function watchCpu(services: Cluster['services']): { read(): Cpu } {
  const meter = startMeter(Object.fromEntries(SERVICES.map(name => [name, [services[name].pid]])));
  return {
    read() {
      const { seconds, ticks, machine } = meter.read();
      const cores = (name: ServiceName) => (ticks[name]! * TICK_MS) / 1_000 / seconds;
      return {
        cores: Object.fromEntries(SERVICES.map(name => [name, cores(name)])) as Cpu['cores'],
        foreign: (machine.foreign + machine.stolen) / machine.all,
      };
    },
  };
}
