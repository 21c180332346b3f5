import { bounded, OutOfTimeError } from '@recording-request/kit/bounds';
import { DomainError } from '@recording-request/kit/errors';
import type { ReadyArchive } from '../store/archives.ts';
import { createOwnersMemory } from './owners-memory.ts';

/** The builds of archives that this process runs. */
export interface ArchiveBuilds {
  /**
   * Runs `build`, or joins the running build with the same key. Fails with `unavailable` when the build takes longer
   * than a caller can wait; the build then continues. Stops the build if all its callers disconnect before its end.
   */
  join(
    of: { key: string; ownerId: string },
    build: (signal: AbortSignal) => Promise<ReadyArchive>,
    signal: AbortSignal,
  ): Promise<ReadyArchive>;
  stop(): void;
}

interface Running {
  made: Promise<ReadyArchive>;
  end: AbortController;
  callers: number;
  /** True if a caller stopped waiting and will retry. */
  isAwaited: boolean;
}

/** The time limit of a build. */
export const BUILD_LIMIT_MS = 10 * 60_000;
// The wait of a caller, which is shorter than the caller's deadline.
const PATIENCE_MS = 45_000;
const RETRY_AFTER_SECONDS = 10;
// A stream to the store holds three parts of 8 MiB: the part that fills, its joined copy, and the part that is being
// sent.
const BUILD_BYTES = 24 * 1024 ** 2;

const notYet = (cause: unknown): DomainError => {
  const sentence = `The archive is being prepared; ask for it again in ${RETRY_AFTER_SECONDS} s.`;
  return new DomainError('unavailable', sentence, { cause, retryAfterSec: RETRY_AFTER_SECONDS });
};

/** All builds together use at most about `memoryBytes`; other builds wait for their owner's turn. */
export function createArchiveBuilds(
  memoryBytes: number,
  patienceMs = PATIENCE_MS,
  limitMs = BUILD_LIMIT_MS,
): ArchiveBuilds {
  const memory = createOwnersMemory(memoryBytes);
  const running = new Map<string, Running>();
  function start(
    { key, ownerId }: { key: string; ownerId: string },
    build: (signal: AbortSignal) => Promise<ReadyArchive>,
  ): Running {
    const end = new AbortController();
    const { signal } = end;
    const outOfTime = new OutOfTimeError(`making an archive took longer than ${limitMs} ms`);
    const limit = setTimeout(() => end.abort(notYet(outOfTime)), limitMs).unref();
    const made = memory({ ownerId, bytes: BUILD_BYTES, signal }, () => build(signal));
    const started: Running = { made, end, callers: 0, isAwaited: false };
    running.set(key, started);
    const forget = () => {
      clearTimeout(limit);
      if (running.get(key) === started) running.delete(key);
    };
    made.then(forget, forget);
    return started;
  }
  return {
    async join(of, build, signal) {
      const there = running.get(of.key);
      const current = there && !there.end.signal.aborted ? there : start(of, build);
      current.callers += 1;
      try {
        return await bounded(current.made, patienceMs, 'making an archive', signal);
      } catch (error) {
        if (!(error instanceof OutOfTimeError) || signal.aborted) throw error;
        current.isAwaited = true;
        throw notYet(error);
      } finally {
        current.callers -= 1;
        if (current.callers === 0 && !current.isAwaited) current.end.abort();
      }
    },
    stop() {
      for (const { end } of running.values()) end.abort();
    },
  };
}
