/** The style of a line: the hue in degrees, and the index of its dashes. */
export interface Style {
  hue: number;
  dash: number;
}

const HUES = 12;
// The patterns are in browser/charts.ts.
const DASHES = 3;
// This start of the hash gives different hues to the names that share a panel, and red only to failures.
const START = 6_181_329;
const PRIME = 16_777_619;

/** Returns the style of a line from its name alone, so that it is the same in each panel and at any time. */
export function styleOf(name: string): Style {
  let hash = START;
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, PRIME);
  const mixed = (hash ^ (hash >>> 15)) >>> 0;
  return { hue: (mixed % HUES) * (360 / HUES), dash: Math.floor(mixed / HUES) % DASHES };
}
