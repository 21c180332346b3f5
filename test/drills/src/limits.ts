/** The factor at which the limits of drills are what they say. */
export const FACTOR = 60;

/** Milliseconds that are long enough where windows are divided by 60, stretched as they are by a smaller factor. */
export const stretched = (ms: number, factor: number): number => ms * (FACTOR / factor);
