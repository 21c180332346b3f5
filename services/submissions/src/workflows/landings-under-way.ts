/** The landings that run in this process. */
export interface LandingsUnderWay {
  /** Starts a landing; where one of this upload is under way already, no matter who asked for it, returns that one. */
  once(uploadId: string, land: () => Promise<void>): Promise<void>;
  /** From now on nobody is kept waiting for a landing: the service stops. */
  hurry(): void;
  /** Resolves when `hurry` is called. */
  hurried: Promise<void>;
  /** Waits for what is under way. */
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
