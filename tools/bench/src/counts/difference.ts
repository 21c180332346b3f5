import { type Counts, KINDS, type Kind } from './taps.ts';

/** The cost of one piece of work: the number of its operations by name. */
export type Cost = Record<Kind, Record<string, number>>;

const every = (of: (kind: Kind) => Record<string, number>) =>
  Object.fromEntries(KINDS.map(kind => [kind, of(kind)])) as Cost;

/** Returns the operations between two readings, divided by `by`. */
export const between = (before: Counts, after: Counts, by: number): Cost =>
  every(kind => {
    const entries = [...after[kind]].map(
      ([name, count]) => [name, (count - (before[kind].get(name) ?? 0)) / by] as const,
    );
    return Object.fromEntries(entries.filter(([, count]) => count > 0));
  });

/**
 * Returns the cost minus the work of the idle system in the same time. Some numbers are negative, because the idle work
 * varies; without them, the total would be too high.
 */
export const without = (cost: Cost, idle: Cost, times: number): Cost =>
  every(kind => {
    const names = new Set([...Object.keys(cost[kind]), ...Object.keys(idle[kind])]);
    return Object.fromEntries(
      [...names].map(name => [name, (cost[kind][name] ?? 0) - (idle[kind][name] ?? 0) * times] as const),
    );
  });

/** Returns the median number of each operation, so that a burst of background work does not count. */
export const medianOf = (costs: readonly Cost[]): Cost =>
  every(kind => {
    const names = new Set(costs.flatMap(cost => Object.keys(cost[kind])));
    const median = (name: string) => costs.map(cost => cost[kind][name] ?? 0).sort((a, b) => a - b)[costs.length >> 1]!;
    return Object.fromEntries([...names].map(name => [name, median(name)]));
  });

export const totalOf = (cost: Cost, kind: Kind): number =>
  Object.values(cost[kind]).reduce((sum, count) => sum + count, 0);
