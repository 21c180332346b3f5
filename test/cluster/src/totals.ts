/** The cost of a run. */
export interface Totals {
  wholeMs: number;
  /** The part until all programs and images were ready. */
  buildingMs: number;
  /** The peak memory of the lab and the processes beside its cluster, without cached files. */
  peakBytes: number;
}

/** Formats the cost of a run as the last lines of its table. */
export function totalsOf({ wholeMs, buildingMs, peakBytes }: Totals): string {
  const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`;
  const rows = [
    ['whole run', seconds(wholeMs)],
    ['of it, building', seconds(buildingMs)],
    ['peak memory', `${(peakBytes / 1e9).toFixed(1)} GB`],
  ] as const;
  const width = Math.max(...rows.map(([, value]) => value.length));
  return rows.map(([what, value]) => `${what.padEnd(16)}${value.padStart(width)}\n`).join('');
}
