/** Two windows are steady if they differ by no more than this share. */
const STEADY = 0.2;
/** After this many windows, the rate counts as steady. */
const MOST = 4;

/** Returns the number of `times` in each window of `windowMs` that ended between `from` and `now`. */
export function windowsOf(times: readonly number[], from: number, now: number, windowMs: number): number[] {
  const whole = Math.floor((now - from) / windowMs);
  return Array.from({ length: whole }, (_, at) => {
    const begins = from + at * windowMs;
    return times.filter(time => time > begins && time <= begins + windowMs).length;
  });
}

/** Returns the mean of the last two windows once they are steady; undefined before. */
export function steadyOf(windows: readonly number[]): number | undefined {
  const [before, last] = windows.slice(-2);
  if (before === undefined || last === undefined) return undefined;
  const isSteady = Math.abs(last - before) <= STEADY * Math.max(last, before);
  return isSteady || windows.length >= MOST ? (before + last) / 2 : undefined;
}
