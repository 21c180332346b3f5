import { createByteQueue, memoryLimit } from '@recording-request/kit/memory-limit';

/** The landings that run in this process. */
export interface LandingsUnderWay {
  /** Starts a landing. Where one of this upload is under way already, returns that one. */
  once(uploadId: string, land: () => Promise<void>): Promise<void>;
  /** Runs `work`, which holds so many bytes of memory, when those of the others leave room for it. */
  withMemory<T>(bytes: number, work: () => Promise<T>): Promise<T>;
  /** Resolves when the landing has ended, after `ms`, or when the service stops. */
  waitFor(landing: Promise<void>, ms: number): Promise<void>;
  /** The service stops: from now on no request waits for a landing. */
  hurry(): void;
  /** Waits for the landings that are under way. */
  idle(): Promise<void>;
}

/** Together they hold at most `memoryBytes` of what is put together. */
export function createLandingsUnderWay(memoryBytes = memoryLimit() / 8): LandingsUnderWay {
  const memory = createByteQueue(memoryBytes);
  const running = new Map<string, Promise<void>>();
  // No promise: what waits for one that lasts as long as the process stays in memory as long.
  const waiting = new Set<() => void>();
  let isHurried = false;
  return {
    once(uploadId, land) {
      const current = running.get(uploadId);
      if (current) return current;
      const started = land().finally(() => running.delete(uploadId));
      running.set(uploadId, started);
      return started;
    },
    withMemory: memory.run,
    async waitFor(landing, ms) {
      if (isHurried) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms).unref();
      waiting.add(resolve);
      landing.then(resolve, resolve);
      await promise;
      clearTimeout(timer);
      waiting.delete(resolve);
    },
    hurry() {
      isHurried = true;
      for (const stop of waiting) stop();
    },
    async idle() {
      await Promise.allSettled(running.values());
    },
  };
}
