/** A member of a server cluster that was ended by SIGKILL. */
export interface Killed {
  /** The host:port that clients use. */
  address: string;
  /** The time of the signal, by Date.now(). */
  at: number;
  /** Restarts the member with its data. Resolves when it takes part again. */
  restart(): Promise<void>;
}
