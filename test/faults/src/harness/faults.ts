import type { RequestListener } from 'node:http';
import type { FaultProxy } from '../proxy/proxy.ts';

/** Applies faults to several proxies at once; FaultProxy describes each fault. */
export interface Faults {
  pass(): Promise<void>;
  down(): Promise<void>;
  freeze(): void;
  strand(): void;
  slow(bytesPerSecond: number): void;
  lag(ms: number): void;
  answer(listener: RequestListener): void;
  reset(): void;
}

export function faultsOf(proxies: FaultProxy[]): Faults {
  return {
    pass: async () => void (await Promise.all(proxies.map(proxy => proxy.pass()))),
    down: async () => void (await Promise.all(proxies.map(proxy => proxy.down()))),
    freeze: () => {
      for (const proxy of proxies) proxy.freeze();
    },
    strand: () => {
      for (const proxy of proxies) proxy.strand();
    },
    slow: bytesPerSecond => {
      for (const proxy of proxies) proxy.slow(bytesPerSecond);
    },
    lag: ms => {
      for (const proxy of proxies) proxy.lag(ms);
    },
    answer: listener => {
      for (const proxy of proxies) proxy.answer(listener);
    },
    reset: () => {
      for (const proxy of proxies) proxy.reset();
    },
  };
}
