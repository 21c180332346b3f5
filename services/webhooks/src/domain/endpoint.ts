export type PauseReason = 'gone' | 'failing';

/** An endpoint at its last attempt: it answered soon, answered late, or failed. */
export type EndpointHealth = 'well' | 'slow' | 'failed';

/** The health of a project's endpoint. It belongs to one setting of the address: setting it again resets it. */
export interface Endpoint {
  projectId: string;
  targetVersion: number;
  state: 'active' | 'paused';
  /** The first failure since the last success. */
  failingSince?: Date;
  pausedAt?: Date;
  pauseReason?: PauseReason;
  /** Since it was reset, what waits for a retry has not been made due. */
  resuming?: boolean;
}

/** Returns why a failure at `now` pauses the endpoint, if it does: 410 at once, any other after `pauseAfterMs` of failure. */
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
