/** A median, and the order statistics `low` and `high` that enclose the true median with probability `coverage`. */
export interface Interval {
  median: number;
  low: number;
  high: number;
  coverage: number;
}

/** Minimum coverage of an interval; fewer than six values have no interval. */
export const COVERAGE = 0.95;

/**
 * Returns the narrowest symmetric interval of order statistics that contains the median with probability `wanted` or
 * more. For nine values, this is the second to the eighth (96 %). When the whole range covers less than `wanted`,
 * returns the range, if it covers `COVERAGE`. Assumes no distribution of the values. Returns undefined for too few
 * values.
 */
export function medianInterval(values: readonly number[], wanted = COVERAGE): Interval | undefined {
  const sorted = ascending(values);
  if (lowerRank(sorted.length, COVERAGE) === 0) return undefined;
  const rank = Math.max(lowerRank(sorted.length, wanted), 1);
  return {
    median: quantile(sorted, 0.5),
    low: sorted[rank - 1]!,
    high: sorted[sorted.length - rank]!,
    coverage: coverageOf(sorted.length, rank),
  };
}

/** Returns the quantile `q` of the values, interpolated between neighbours. NaN without values. */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = ascending(values);
  const at = (sorted.length - 1) * q;
  const [below, above] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return below + (above - below) * (at - Math.floor(at));
}

const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

/** Returns the highest rank whose interval still covers `wanted`; 0 when the whole range covers less. */
function lowerRank(count: number, wanted: number): number {
  let rank = 0;
  while (2 * (rank + 1) <= count && coverageOf(count, rank + 1) >= wanted) rank += 1;
  return rank;
}

/**
 * Returns the probability that an interval covers the true median. Each value is above the true median with probability
 * ½, so the number of values below it is binomial.
 */
function coverageOf(count: number, rank: number): number {
  let term = 0.5 ** count;
  let tail = 0;
  for (let below = 0; below < rank; below++) {
    tail += term;
    term = (term * (count - below)) / (below + 1);
  }
  return 1 - 2 * tail;
}
