const LONGEST_MS = 7 * 24 * 60 * 60_000;
const MOST_PAUSES = 16;

/**
 * Returns after how many milliseconds an event that no consumer knew is tried again, by its age: soon while two versions have just
 * met, later where that lasts. Undefined for one that is too old to be tried by itself.
 */
export const retryPauseMs = (ageMs: number, shortestMs: number): number | undefined =>
  ageMs > LONGEST_MS ? undefined : Math.min(Math.max(ageMs / 4, shortestMs), MOST_PAUSES * shortestMs);
