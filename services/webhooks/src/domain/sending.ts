/** Whether this system sends webhooks. The operator, or a restore, pauses all of them. */
export interface Sending {
  isPaused: boolean;
  /** The time of the last change; the epoch if there was none. */
  since: Date;
}
