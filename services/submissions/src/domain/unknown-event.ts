/** How long a dead letter is kept. */
export const DEAD_LETTER_SECONDS = 7 * 24 * 60 * 60;
const MOST_PAUSES = 16;

/**
 * Returns after how many milliseconds an event that no consumer knew is tried again, by its age: soon while two versions have just
 * met, later where that lasts. Undefined for one that is too old.
 */
export const retryPauseMs = (ageMs: number, shortestMs: number): number | undefined =>
  ageMs > DEAD_LETTER_SECONDS * 1_000 ? undefined : Math.min(Math.max(ageMs / 4, shortestMs), MOST_PAUSES * shortestMs);
