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

/** Returns the cost minus the work of the idle system in the same time. */
export const without = (cost: Cost, idle: Cost, times: number): Cost =>
  every(kind => {
    const entries = Object.entries(cost[kind]).map(
      ([name, count]) => [name, Math.max(0, count - (idle[kind][name] ?? 0) * times)] as const,
    );
    return Object.fromEntries(entries.filter(([, count]) => count > 0));
  });

export const totalOf = (cost: Cost, kind: Kind): number =>
  Object.values(cost[kind]).reduce((sum, count) => sum + count, 0);
