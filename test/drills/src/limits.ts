/** The factor to which the limits of drills apply. */
export const FACTOR = 60;

/** Returns the milliseconds `ms`, which apply to windows divided by 60, extended for a smaller factor. */
export const stretched = (ms: number, factor: number): number => ms * (FACTOR / factor);
