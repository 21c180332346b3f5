/** The default of `--factor`. The drills state their limits for this factor. */
export const FACTOR = 60;

/**
 * Returns the limit for another factor. A smaller factor makes the alert windows longer, so the limit is longer too.
 */
export const stretched = (ms: number, factor: number): number => ms * (FACTOR / factor);
