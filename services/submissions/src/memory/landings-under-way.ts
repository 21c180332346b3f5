import { memoryLimit } from '@recording-request/kit/memory-limit';
import type { Response } from '@recording-request/proto/projects/v1/projects';
import type { Upload } from '../domain/uploads/upload.ts';
import { createOwnersMemory, type OwnersMemory } from './owners-memory.ts';

/** A clip that has landed. */
export interface Landed {
  upload: Upload;
  /** As it is with the clip. */
  response: Response;
}

/** Ends with the clip, where this process has made it land. */
export type Landing = Promise<Landed | undefined>;

/** The landings that run in this process. */
export interface LandingsUnderWay {
  /** Starts a landing. Where one of this upload is under way already, returns that one. */
  once(uploadId: string, land: () => Landing): Landing;
  /** Fails with `too_many` where too many wait. */
  withMemory: OwnersMemory;
  /** Resolves as the landing does, and with nothing when it has failed, after `ms`, or when the service stops. */
  waitFor(landing: Landing, ms: number): Landing;
  /** The service stops: from now on no request waits for a landing. */
  hurry(): void;
  /** Waits for the landings that are under way. */
  idle(): Promise<void>;
}

/** Together they hold at most `memoryBytes` of what is put together. */
export function createLandingsUnderWay(memoryBytes = memoryLimit() / 8): LandingsUnderWay {
  const memory = createOwnersMemory(memoryBytes);
  const running = new Map<string, Landing>();
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
