/** A member of a server cluster that was killed with SIGKILL. */
export interface Killed {
  /** The host:port that clients use. */
  address: string;
  /** The time of the signal, by Date.now(). */
  at: number;
  /** Restarts the member with its data. Resolves when the member takes part in the cluster again. */
  restart(): Promise<void>;
}
