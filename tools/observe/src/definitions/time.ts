/** Durations in generated files: drills divide every window and every wait by one factor. */
export interface Time {
  factor: number;
  /** Returns a PromQL window of this many seconds, divided by the factor, at least `least` seconds long. */
  window(seconds: number, least?: number): string;
  /** Returns seconds divided by the factor, in whole seconds, at least `least`. */
  seconds(seconds: number, least?: number): number;
}

export const MINUTE = 60;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Returns the durations for a factor. Fails unless it is a number from 1 to 60: a window of 5 s still contains some samples. */
export function timeOf(factor: number): Time {
  if (!(factor >= 1 && factor <= 60)) throw new RangeError(`The factor must be from 1 to 60, not ${factor}.`);
  const scaled = (seconds: number, least = 1) => Math.max(least, Math.ceil(seconds / factor));
  return {
    factor,
    seconds: scaled,
    window: (seconds, least) => duration(scaled(seconds, least)),
  };
}

/** Returns whole seconds in Prometheus's format: `5m`, `90s`, `3d`. */
export function duration(seconds: number): string {
  for (const [unit, size] of [
    ['d', DAY],
    ['h', HOUR],
    ['m', MINUTE],
  ] as const)
    if (seconds > 0 && seconds % size === 0) return `${seconds / size}${unit}`;
  return `${seconds}s`;
}
