/** A member of several servers that was ended by SIGKILL. */
export interface Killed {
  /** As clients know it: host:port. */
  address: string;
  /** When the signal was sent, as Date.now() gives it. */
  at: number;
  /** Starts it again, with its data. Resolves when it takes part again. */
  restart(): Promise<void>;
}
