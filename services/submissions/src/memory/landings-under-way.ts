import { memoryLimit } from '@recording-request/kit/memory-limit';
import type { Response } from '@recording-request/proto/projects/v1/projects';
import type { Upload } from '../domain/uploads/upload.ts';
import { createOwnersMemory, type OwnersMemory } from './owners-memory.ts';

export interface Landed {
  upload: Upload;
  /** The state of the response with the clip. */
  response: Response;
}

/** Resolves to the clip if this process has landed it. */
export type Landing = Promise<Landed | undefined>;

/** The running landings of this process. */
export interface LandingsUnderWay {
  /** Starts a landing, or returns the running one of the same upload. */
  once(uploadId: string, land: () => Landing): Landing;
  /** Fails with `too_many` when too many landings wait. */
  withMemory: OwnersMemory;
  /**
   * Resolves when the landing is done; resolves to undefined when the landing has failed, after `ms`, or when the
   * service stops.
   */
  waitFor(landing: Landing, ms: number): Landing;
  /** Ends the waits of all requests, because the service is stopping. */
  hurry(): void;
  /** Waits for the running landings. */
  idle(): Promise<void>;
}

/** Landings that join parts use at most `memoryBytes` together. */
export function createLandingsUnderWay(memoryBytes = memoryLimit() / 8): LandingsUnderWay {
  const memory = createOwnersMemory(memoryBytes);
  const running = new Map<string, Landing>();
  // A set of functions instead of one promise, because a promise that lives as long as the process would keep all its
  // reactions in memory.
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
    withMemory: memory,
    async waitFor(landing, ms) {
      if (isHurried) return undefined;
      const { promise, resolve } = Promise.withResolvers<Landed | undefined>();
      const stop = () => resolve(undefined);
      const timer = setTimeout(stop, ms).unref();
      waiting.add(stop);
      landing.then(resolve, stop);
      const landed = await promise;
      clearTimeout(timer);
      waiting.delete(stop);
      return landed;
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
