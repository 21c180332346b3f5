export type PauseReason = 'gone' | 'failing';

/** The result of the last attempt at an endpoint: a quick answer, a slow answer, or a failure. */
export type EndpointHealth = 'well' | 'slow' | 'failed';

/**
 * The health of a project's endpoint for one version of its address. A new version of the address resets the health.
 */
export interface Endpoint {
  projectId: string;
  targetVersion: number;
  state: 'active' | 'paused';
  /** The time of the first failure since the last success. */
  failingSince?: Date;
  /**
   * The status of the last failure (0 without a response), and its fixed phrase. Both are set while `failingSince` is
   * set.
   */
  lastStatusCode?: number;
  lastError?: string;
  /** True when the event about these failures is recorded. */
  failureReported?: boolean;
  /** The last time at which the endpoint's failures or its pause ended. */
  wellSince?: Date;
  /** The beginning of the last attempt at an event that had waited. Stored at most once per `WEBHOOK_POLL_MS`. */
  servedAt?: Date;
  pausedAt?: Date;
  pauseReason?: PauseReason;
  /** True from a reset until the deliveries that wait for a retry have been made due. */
  resuming?: boolean;
}

/**
 * Returns the reason why a failure at `now` pauses the endpoint; undefined if it does not. A 410 pauses the endpoint at
 * once; other failures pause it after `pauseAfterMs` without a success.
 */
export function pauseReasonFor(
  endpoint: Pick<Endpoint, 'failingSince'>,
  options: { gone: boolean; now: Date; pauseAfterMs: number },
): PauseReason | undefined {
  if (options.gone) return 'gone';
  const since = endpoint.failingSince?.getTime() ?? options.now.getTime();
  return options.now.getTime() - since >= options.pauseAfterMs ? 'failing' : undefined;
}

const HOW_TO_RESUME = 'Events are kept; set webhookUrl again or send a test event to resume.';

export const PAUSE_SENTENCES: Record<PauseReason, string> = {
  gone: `The endpoint answered 410 Gone. ${HOW_TO_RESUME}`,
  failing: `The endpoint failed for too long. ${HOW_TO_RESUME}`,
};
