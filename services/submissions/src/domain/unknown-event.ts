/** How long a dead letter is kept. */
export const DEAD_LETTER_SECONDS = 7 * 24 * 60 * 60;
const MOST_PAUSES = 16;

/**
 * Returns the pause in milliseconds before the retry of an event that no consumer knew. The pause grows with the
 * event's age, so that it is short during an upgrade. Returns undefined when the event is too old.
 */
export const retryPauseMs = (ageMs: number, shortestMs: number): number | undefined =>
  ageMs > DEAD_LETTER_SECONDS * 1_000 ? undefined : Math.min(Math.max(ageMs / 4, shortestMs), MOST_PAUSES * shortestMs);
