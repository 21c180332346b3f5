import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const DURATION = '(?:\\d+(?:ms|[smhdw]))+';
// Ranges and subqueries of queries, offsets, and the waits of rules and of Alertmanager. A rule's name and text are left alone.
const PLACES = [
  new RegExp(`(?<=\\[)${DURATION}(?=[\\]:])`, 'g'),
  new RegExp(`(?<=\\[${DURATION}:)${DURATION}(?=\\])`, 'g'),
  new RegExp(`(?<=\\boffset )${DURATION}\\b`, 'g'),
  new RegExp(
    `(?<=^\\s*(?:- )?"?(?:for|keep_firing_for|interval|group_wait|group_interval|repeat_interval)"?: "?)${DURATION}`,
    'gm',
  ),
];

/**
 * Returns the text of rules, or of Alertmanager's configuration, with every window and wait divided by `factor`, and none below `leastMs`:
 * what takes an hour can be tried in a minute. Thresholds stay.
 */
export function divideDurations(text: string, factor: number, leastMs: number): string {
  if (factor === 1) return text;
  return PLACES.reduce((all, place) => all.replace(place, found => divided(found, factor, leastMs)), text);
}

function divided(duration: string, factor: number, leastMs: number): string {
  const ms = millisecondsOf(duration);
  if (ms === 0) return duration;
  return `${Math.max(Math.round(ms / factor), Math.min(leastMs, ms))}ms`;
}

/** Returns the milliseconds of a duration such as `1h30m`. */
export function millisecondsOf(duration: string): number {
  return [...duration.matchAll(/(\d+)(ms|[smhdw])/g)]
    .map(([, count, unit]) => Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS])
    .reduce((sum, ms) => sum + ms, 0);
}

/** Writes every file of rules in `from` to `into`, emptied before, with its durations divided. */
export async function divideRules(from: string, into: string, factor: number, leastMs: number): Promise<void> {
  await rm(into, { recursive: true, force: true });
  await mkdir(into, { recursive: true });
  for (const name of await readdir(from)) {
    if (!/\.ya?ml$/.test(name)) continue;
    const text = await readFile(join(from, name), 'utf8');
    await writeFile(join(into, name), divideDurations(text, factor, leastMs));
  }
}
