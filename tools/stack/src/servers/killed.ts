/** A member of a server cluster that SIGKILL ended. */
export interface Killed {
  /** The host:port that clients use. */
  address: string;
  /** When the signal was sent, as Date.now() gives it. */
  at: number;
  /** Restarts it with its data. Resolves when it takes part again. */
  restart(): Promise<void>;
}
