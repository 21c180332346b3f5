/** The landings that run in this process. */
export interface LandingsUnderWay {
  /** Starts a landing. Where one of this upload is under way already, returns that one. */
  once(uploadId: string, land: () => Promise<void>): Promise<void>;
  /** The service stops: from now on no request waits for a landing. */
  hurry(): void;
  /** Resolves when `hurry` is called. */
  hurried: Promise<void>;
  /** Waits for the landings that are under way. */
  idle(): Promise<void>;
}

export function createLandingsUnderWay(): LandingsUnderWay {
  const running = new Map<string, Promise<void>>();
  const hurried = Promise.withResolvers<void>();
  return {
    once(uploadId, land) {
      const current = running.get(uploadId);
      if (current) return current;
      const started = land().finally(() => running.delete(uploadId));
      running.set(uploadId, started);
      return started;
    },
    hurry: hurried.resolve,
    hurried: hurried.promise,
    async idle() {
      await Promise.allSettled(running.values());
    },
  };
}
