/** The factor to which the limits in the drills apply. */
export const FACTOR = 60;

/** Converts a limit of FACTOR to another factor. A smaller factor makes the alert windows longer, and so the limit. */
export const stretched = (ms: number, factor: number): number => ms * (FACTOR / factor);
