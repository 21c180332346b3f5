/** The factor for which the limits of drills are stated. */
export const FACTOR = 60;

/** Returns the milliseconds for windows divided by 60, extended for a smaller factor. */
export const stretched = (ms: number, factor: number): number => ms * (FACTOR / factor);
