import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Row } from '../row.ts';
import type { Finding, Goal } from '../stats/goal.ts';
import type { RowOutcome } from '../stats/rounds.ts';

export interface RowResult {
  name: string;
  title: string;
  state: RowOutcome['state'];
  /** The reason why a row was not judged. */
  why?: string;
  seconds: number;
  findings: FindingResult[];
  self: FindingResult[];
  rounds: number;
}

export interface FindingResult {
  text: string;
  /** "≥ 1", "≤ 1.2" or "0.8 to 1.2". */
  bound: string;
  /** Null if the run did not measure it. */
  median: number | null;
  low?: number;
  high?: number;
  verdict: Finding['verdict'];
}

/** A run: its time, commit, processor and rows. */
export interface RunResult {
  date: string;
  commit: string;
  cpu: string;
  rows: RowResult[];
}

const FIGURES = 4;

export function rowResult(row: Row, outcome: RowOutcome, seconds: number): RowResult {
  return {
    name: row.name,
    title: row.title,
    state: outcome.state,
    ...(outcome.why && { why: outcome.why }),
    seconds: Math.round(seconds),
    findings: outcome.findings.map(findingResult),
    self: outcome.selfFindings.map(findingResult),
    rounds: outcome.rounds.length,
  };
}

/** Returns the result of a row that could not be measured. */
export const unmeasured = (row: Row, why: string, seconds: number): RowResult =>
  rowResult(row, { state: 'not measured', why, rounds: [], findings: [], selfFindings: [] }, seconds);

export function findingResult({ goal, median, interval, verdict }: Finding): FindingResult {
  const { text } = goal;
  const bound = boundOf(goal);
  const ends = interval && { low: figure(interval.low), high: figure(interval.high) };
  return { text, bound, median: Number.isNaN(median) ? null : figure(median), ...ends, verdict };
}

function boundOf({ atLeast, atMost }: Goal): string {
  if (atLeast !== undefined && atMost !== undefined) return `${atLeast} to ${atMost}`;
  if (atLeast !== undefined) return `≥ ${atLeast}`;
  return `≤ ${atMost}`;
}

const figure = (value: number) => Number(value.toPrecision(FIGURES));

/** The newest judged result of a row, as stored. */
export interface KeptRow extends Pick<RowResult, 'name' | 'title' | 'findings'> {
  date: string;
  commit: string;
  cpu: string;
  rounds: number;
}

const COMMIT_DIGITS = 8;

// Puts 10b between 10 and 11.
const byName = new Intl.Collator('en', { numeric: true }).compare;

/** Returns the kept rows in the order of their numbers. The judged rows of the run replace older results. */
export function withRun(kept: readonly KeptRow[], { date, commit, cpu, rows }: RunResult): KeptRow[] {
  const about = { date, commit: commit.slice(0, COMMIT_DIGITS), cpu };
  const judged = rows
    .filter(({ state }) => state === 'judged')
    .map(({ name, title, rounds, findings }) => ({ name, title, ...about, rounds, findings }));
  const names = new Set(judged.map(({ name }) => name));
  return [...kept.filter(({ name }) => !names.has(name)), ...judged].sort((a, b) => byName(a.name, b.name));
}

/** Writes a run's judged rows to the file. Returns all rows of the file. */
export async function keepRun(file: string, run: RunResult): Promise<KeptRow[]> {
  const rows = withRun(JSON.parse(await readFile(file, 'utf8')) as KeptRow[], run);
  await writeFile(`${file}.tmp`, `${JSON.stringify(rows, undefined, 1)}\n`);
  await rename(`${file}.tmp`, file);
  return rows;
}
