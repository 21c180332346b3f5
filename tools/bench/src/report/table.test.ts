import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findingResult, type RowResult, type RunResult, withRun } from './results.ts';
import { summaryOf, tableOf, withTable } from './table.ts';

const row = (name: string, median: number, more: Partial<RowResult> = {}): RowResult => ({
  name,
  title: 'one project',
  state: 'judged',
  seconds: 100,
  findings: [{ text: 'rate, of Go', bound: '≥ 1', median, low: median - 0.1, high: median + 0.1, verdict: 'met' }],
  self: [],
  rounds: 9,
  ...more,
});
const run = (date: string, ...rows: RowResult[]): RunResult => ({
  date,
  commit: 'abc',
  cpu: '',
  rows,
});

test('the newest judged result of each row is kept, in the order of their numbers', () => {
  const first = withRun([], run('2026-01-01', row('11', 1.1), row('10b', 1.2), row('10', 1.5), row('2', 1.5)));
  const kept = withRun(
    first,
    run('2026-02-01', row('2', 2.5), row('10', 9, { state: 'void' }), row('3', 1, { state: 'not measured' })),
  );
  const lines = tableOf(kept).split('\n').slice(2);
  assert.equal(lines.length, 4);
  assert.match(lines[0]!, /^\| 2 \| one project .*\| ≥ 1 \| 2\.5 \| 2\.4 to 2\.6 \| 9 \| 2026-02-01, abc \| met \|$/);
  assert.match(lines[1]!, /^\| 10 .*\| 1\.5 .* 2026-01-01, abc \| met \|$/);
  assert.match(lines[2]!, /^\| 10b /);
  assert.match(lines[3]!, /^\| 11 /);
});

test('the table names the processor of a run', () => {
  const names = ['Intel(R) Xeon(R) Processor @ 2.50GHz', 'AMD EPYC', ''].map(cpu => {
    const rows = withRun([], { ...run('2026-01-01', row('2', 1.5)), cpu });
    return /2026-01-01, (.*?) \|/.exec(tableOf(rows))![1];
  });
  assert.deepEqual(names, ['abc, Intel Xeon', 'abc, AMD EPYC', 'abc']);
});

test('every line of the table has as many columns as its head', () => {
  const two = row('1', 2);
  const table = tableOf(withRun([], run('2026-01-01', { ...two, findings: [...two.findings, ...two.findings] })));
  const columns = table.split('\n').map(line => line.split('|').length);
  assert.deepEqual(new Set(columns), new Set([columns[0]]));
});

test('a row that was not judged has a reason', () => {
  const noisy = row('1', 1, { state: 'not measured', why: 'others had 9 % of the CPU time' });
  assert.match(summaryOf(noisy), /not measured: others had 9 %/);
});

test('the terminal shows the figures of a void row and the reason', () => {
  const summary = summaryOf(row('1', 1, { state: 'void', why: 'it differs from itself' }));
  assert.match(summary, /void: it differs from itself\n {4}met {7}rate, of Go ≥ 1: 1 \(0\.9 to 1\.1\)/);
});

test('a goal shows both of its bounds', () => {
  const bounds = [{ atLeast: 0.8, atMost: 1.2 }, { atLeast: 1 }, { atMost: 60 }].map(bound => {
    const goal = { text: 'peak', metric: 'bytes', of: 'much', ...bound };
    return findingResult({ goal, values: [], median: 1, interval: undefined, verdict: 'met' }).bound;
  });
  assert.deepEqual(bounds, ['0.8 to 1.2', '≥ 1', '≤ 60']);
});

test('a goal that this machine cannot measure has no figure in its line', () => {
  const goal = { text: 'media', bound: '≥ 0.85', median: null, verdict: 'not measured' as const };
  const table = tableOf(withRun([], run('2026-01-01', row('11', 1, { findings: [goal] }))));
  assert.match(table, /media \| ≥ 0\.85 \| {2}\| {2}\| 9 \| 2026-01-01, abc \| not measured \|$/);
});

test('the table replaces the text between the markers, and a document without them is refused', () => {
  const marked = (between: string) =>
    `# Performance\n<!-- made by npm run bench: begin -->${between}<!-- made by npm run bench: end -->\nafter\n`;
  const once = withTable(marked('\nold\n'), '| new |');
  assert.equal(once, marked('\n\n| new |\n\n'));
  assert.equal(withTable(once, '| new |'), once);
  assert.throws(() => withTable('# Performance', '| new |'), /has no lines/);
});
