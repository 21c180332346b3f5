/** The factor for which the drills' limits are written. */
export const FACTOR = 60;

/**
 * Returns the limit for another factor. A smaller factor makes the alert windows longer, so the limit is longer too.
 */
export const stretched = (ms: number, factor: number): number => ms * (FACTOR / factor);
