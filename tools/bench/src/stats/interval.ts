/** A median and the order statistics around it between which the true one lies with probability `coverage`. */
export interface Interval {
  median: number;
  low: number;
  high: number;
  coverage: number;
}

/** What the interval covers at least; fewer than six values have none. */
export const COVERAGE = 0.95;

/**
 * Returns the narrowest interval of two order statistics, as far from the lowest value as from the highest, that holds the
 * median with at least `wanted`, or where not even the whole range does, that range, which has to cover `COVERAGE`: of nine values the second to the eighth (96 %). It assumes nothing of how the values are
 * distributed. Returns undefined where there are too few.
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

/** Returns the value below which the share `q` of the values lies, interpolated between neighbours. NaN where there are none. */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = ascending(values);
  const at = (sorted.length - 1) * q;
  const [below, above] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return below + (above - below) * (at - Math.floor(at));
}

const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

/** The highest rank from 1 whose interval still covers so much; 0 where not even the whole range does. */
function lowerRank(count: number, wanted: number): number {
  let rank = 0;
  while (2 * (rank + 1) <= count && coverageOf(count, rank + 1) >= wanted) rank += 1;
  return rank;
}

/** Each value is above the true median with probability ½, so that how many are below it is binomial. */
function coverageOf(count: number, rank: number): number {
  let term = 0.5 ** count;
  let tail = 0;
  for (let below = 0; below < rank; below++) {
    tail += term;
    term = (term * (count - below)) / (below + 1);
  }
  return 1 - 2 * tail;
}
