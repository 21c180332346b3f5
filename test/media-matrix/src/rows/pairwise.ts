/** The possible values of each property. */
export type Properties<T> = { [K in keyof T]?: ReadonlyArray<T[K]> };

interface Chosen {
  property: string;
  value: unknown;
}

const named = ({ property, value }: Chosen) => `${property}=${String(value)}`;
const pairOf = (one: Chosen, other: Chosen) => [named(one), named(other)].sort().join(' ');

/**
 * Returns possible combinations that together cover every possible pair of values of two properties. Starts each
 * combination with an uncovered pair, then adds the values that cover the most other uncovered pairs. Returns the same
 * result for each call.
 */
export function allPairs<T extends object>(base: T, properties: Properties<T>, isPossible: (each: T) => boolean): T[] {
  const names = Object.keys(properties) as Array<keyof T & string>;
  const valuesOf = (name: keyof T & string): readonly unknown[] => properties[name] ?? [];
  const missing = new Map<string, [Chosen, Chosen]>();
  for (const [at, one] of names.entries())
    for (const other of names.slice(at + 1))
      for (const a of valuesOf(one))
        for (const b of valuesOf(other)) {
          const pair: [Chosen, Chosen] = [
            { property: one, value: a },
            { property: other, value: b },
          ];
          missing.set(pairOf(...pair), pair);
        }
  const pairsOf = (each: T) =>
    names.flatMap((one, at) =>
      names
        .slice(at + 1)
        .map(other => pairOf({ property: one, value: each[one] }, { property: other, value: each[other] })),
    );
  const found: T[] = [];
  for (const [key, [one, other]] of missing) {
    if (!missing.has(key)) continue;
    const built = build(base, [one, other]);
    missing.delete(key);
    if (!built) continue;
    for (const pair of pairsOf(built)) missing.delete(pair);
    found.push(built);
  }
  return found;

  /**
   * Returns a possible combination with both values. Then changes one property after the other, to cover more of the
   * uncovered pairs.
   */
  function build(start: T, fixed: Chosen[]): T | undefined {
    const wanted = Object.fromEntries(fixed.map(({ property, value }) => [property, value]));
    const free = names.filter(name => !(name in wanted));
    const first = firstPossible({ ...start, ...wanted }, free);
    if (!first) return undefined;
    let best: T = first;
    const score = (each: T) => pairsOf(each).filter(pair => missing.has(pair)).length;
    for (let improved = true; improved; ) {
      improved = false;
      for (const name of free)
        for (const value of valuesOf(name)) {
          const next = { ...best, [name]: value };
          if (!isPossible(next) || score(next) <= score(best)) continue;
          best = next;
          improved = true;
        }
    }
    return best;
  }

  /** Returns a possible combination that differs from `each` in as few of the free properties as possible. */
  function firstPossible(each: T, free: Array<keyof T & string>, changes = 4): T | undefined {
    if (isPossible(each)) return each;
    if (changes === 0) return undefined;
    for (const [at, name] of free.entries())
      for (const value of valuesOf(name)) {
        const next: T | undefined = firstPossible({ ...each, [name]: value }, free.slice(at + 1), changes - 1);
        if (next) return next;
      }
    return undefined;
  }
}
