import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findingResult, type RowResult, type RunResult } from './results.ts';
import { summaryOf, tableOf, withTable } from './table.ts';

const row = (name: string, median: number, more: Partial<RowResult> = {}): RowResult => ({
  name,
  title: 'one project',
  state: 'judged',
  seconds: 100,
  repeatedRounds: 0,
  findings: [{ text: 'rate, of Go', bound: '≥ 1', median, low: median - 0.1, high: median + 0.1, verdict: 'met' }],
  self: [],
  rounds: [],
  ...more,
});
const run = (date: string, ...rows: RowResult[]): RunResult => ({
  date,
  commit: 'abc',
  machine: {},
  versions: {},
  seed: 1,
  rows,
});

test('the table has the newest run of each row, in the order of their numbers', () => {
  const table = tableOf([run('2026-01-01', row('10', 1.5), row('2', 1.5)), run('2026-02-01', row('2', 2.5))]);
  const lines = table.split('\n').slice(2);
  assert.equal(lines.length, 2);
  assert.match(
    lines[0]!,
    /^\| 2 \| one project .*\| ≥ 1 \| 2\.5 \| 2\.4 to 2\.6 \| 0 \| 2026-02-01, abc \| \*\*met\*\*, 2 times in a row \|$/,
  );
  assert.match(lines[1]!, /^\| 10 .* 2026-01-01.*\*\*met\*\*, once \|$/);
});

test('a run that could not measure a row leaves what an earlier one measured', () => {
  const busy = row('2', 0, { state: 'not measured', why: 'others had 60 % of the CPU time', findings: [] });
  const table = tableOf([run('2026-01-01', row('2', 1.5)), run('2026-02-01', busy), run('2026-03-01', row('2', 2))]);
  assert.match(table, /2026-03-01, abc \| \*\*met\*\*, 2 times in a row \|$/);
  assert.match(tableOf([run('2026-01-01', row('2', 1.5)), run('2026-02-01', busy)]), /\| 2026-01-01, abc \| \*\*met/);
});

test('a run tells its processor', () => {
  const machines: RunResult['machine'][] = [{ cpu: 'Intel(R) Xeon(R) Processor @ 2.50GHz' }, { cpu: 'AMD EPYC' }, {}];
  const names = machines.map(
    machine => /2026-01-01, (.*?) \|/.exec(tableOf([{ ...run('2026-01-01', row('2', 1.5)), machine }]))![1],
  );
  assert.deepEqual(names, ['abc, Intel Xeon', 'abc, AMD EPYC', 'abc']);
});

test('a void row tells what it measured, with its goals, as what does not count', () => {
  const lines = tableOf([run('2026-01-01', row('1', 1, { state: 'void', why: 'it differs from itself' }))]).split('\n');
  assert.match(lines[2]!, /^\| 1 \| one project \| \| .*\*\*void\*\*: it differs from itself \|$/);
  assert.match(lines[3]!, /rate, of Go \| ≥ 1 \| 1 \| 0\.9 to 1\.1 \| 0 \| 2026-01-01, abc \| \(met\) \|$/);
});

test('a void run leaves what an earlier one judged, and is named until the row is judged again', () => {
  const judged = run('2026-01-01', row('2', 1.5));
  const voids = ['2026-02-01', '2026-03-01'].map(date => run(date, row('2', 9, { state: 'void', why: 'why' })));
  const lines = tableOf([judged, ...voids])
    .split('\n')
    .slice(2);
  assert.equal(lines.length, 1);
  assert.match(lines[0]!, /2026-01-01, abc \| \*\*met\*\*, once <br> void since: 2026-02-01, 2026-03-01 \|$/);
  assert.match(
    tableOf([judged, ...voids, run('2026-04-01', row('2', 2))]),
    /2026-04-01, abc \| \*\*met\*\*, 2 times in a row \|$/,
  );
});

test('how often a goal was met counts back to the run that missed it, and leaves out those that say nothing', () => {
  const [finding] = row('1', 1).findings;
  const of = (more: object) => row('1', 1, { findings: [{ ...finding!, ...more }] });
  const met = of({});
  const last = (...rows: RowResult[]) =>
    tableOf(rows.map((each, at) => run(`2026-01-0${at}`, each)))
      .split('\n')
      .at(-1)!;
  assert.match(
    last(met, of({ verdict: 'missed' }), met, row('1', 1, { state: 'void' }), met),
    /, 2 times in a row \|$/,
  );
  assert.match(last(met, met, of({ bound: '≥ 2' })), /, once \|$/);
  assert.match(last(met, of({ verdict: 'undecided' })), /\*\*undecided\*\* \|$/);
});

test('a row that no run has is in the table, too', () => {
  const known = ['1', '2', '3'].map(name => ({ name, title: `row ${name}` }));
  const lines = tableOf([run('2026-01-01', row('2', 1.5))], known)
    .split('\n')
    .slice(2);
  assert.deepEqual(
    lines.map(line => line.split('|')[1]!.trim()),
    ['1', '2', '3'],
  );
  assert.match(lines[2]!, /row 3 .* not measured \|$/);
});

test('every line of the table has as many columns as its head', () => {
  const two = row('1', 2);
  const table = tableOf(
    [
      run(
        '2026-01-01',
        { ...two, findings: [...two.findings, ...two.findings] },
        row('2', 1, { state: 'void', why: 'why' }),
      ),
    ],
    [{ name: '3', title: 'three' }],
  );
  const columns = table.split('\n').map(line => line.split('|').length);
  assert.deepEqual(new Set(columns), new Set([columns[0]]));
});

test('a row that was not judged says why', () => {
  const noisy = row('1', 1, { state: 'not measured', why: 'others had 9 % of the CPU time' });
  assert.match(tableOf([run('2026-01-01', noisy)]), /\*\*not measured\*\*: others had 9 %/);
  assert.match(summaryOf(noisy), /not measured: others had 9 %/);
});

test('a void row tells at the terminal what it measured, and why that does not count', () => {
  const summary = summaryOf(row('1', 1, { state: 'void', why: 'it differs from itself' }));
  assert.match(summary, /void: it differs from itself\n {4}met {7}rate, of Go ≥ 1: 1 \(0\.9 to 1\.1\)/);
});

test('a goal tells both of its bounds', () => {
  const bounds = [{ atLeast: 0.8, atMost: 1.2 }, { atLeast: 1 }, { atMost: 60 }, {}].map(bound => {
    const goal = { text: 'peak', metric: 'bytes', of: 'much', ...bound };
    return findingResult({ goal, values: [], median: 1, interval: undefined, verdict: 'shown' }).bound;
  });
  assert.deepEqual(bounds, ['0.8 to 1.2', '≥ 1', '≤ 60', '']);
});

test('a goal that this machine cannot measure has no figure in its line', () => {
  const goal = { text: 'media', bound: '≥ 0.85', median: null, verdict: 'not measured' as const };
  const table = tableOf([run('2026-01-01', row('11', 1, { findings: [goal] }))]);
  assert.match(table, /media \| ≥ 0\.85 \| {2}\| {2}\| 0 \| 2026-01-01, abc \| \*\*not measured\*\* \|$/);
});

test('the table replaces what stood between the markers, and a document without them is refused', () => {
  const marked = (between: string) =>
    `# Performance\n<!-- made by npm run bench: begin -->${between}<!-- made by npm run bench: end -->\nafter\n`;
  const once = withTable(marked('\nold\n'), '| new |');
  assert.equal(once, marked('\n\n| new |\n\n'));
  assert.equal(withTable(once, '| new |'), once);
  assert.throws(() => withTable('# Performance', '| new |'), /has no lines/);
});
