/** The factor for which the limits of drills are defined. */
export const FACTOR = 60;

/** Returns a limit for a factor. `ms` applies to windows that are divided by 60; a smaller factor increases it. */
export const stretched = (ms: number, factor: number): number => ms * (FACTOR / factor);
