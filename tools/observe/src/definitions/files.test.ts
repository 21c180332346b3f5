import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { ALERTS, alertNames } from './alerts.ts';
import { DASHBOARDS } from './dashboards/all.ts';
import { DEFAULTS, madeFiles } from './files.ts';
import { knownSeries, namesIn, ruleQueries, unknownNames } from './names.ts';
import { readRunbooks } from './runbooks.ts';
import { timeOf } from './time.ts';

const DEPLOYED = new URL('../../../../deploy/observability/', import.meta.url);
const GUIDES = ['README', 'clip-late-or-stuck', 'which-step-is-slow'];

test('generated files are up to date (npm run dashboards writes them)', async () => {
  const files = madeFiles(DEFAULTS);
  for (const [path, content] of files) assert.equal(await readFile(new URL(path, DEPLOYED), 'utf8'), content, path);
  for (const folder of ['dashboards', 'prometheus/rules', 'alertmanager'])
    for (const name of await readdir(new URL(folder, DEPLOYED)))
      assert(files.has(`${folder}/${name}`), `${folder}/${name}`);
});

describe('queries use only emitted names', async () => {
  const known = knownSeries();
  const none = (query: string) => assert.deepEqual(unknownNames(query, known), [], query);
  test('in rules', () => {
    for (const expr of ruleQueries()) none(expr);
  });
  test('in dashboards', () => {
    for (const { panels } of DASHBOARDS) for (const { queries } of panels) for (const { expr } of queries) none(expr);
  });
  for (const { name, queries } of await readRunbooks())
    test(`in the runbook ${name}`, () => {
      assert(GUIDES.includes(name) || queries.length === 3, 'a runbook has three queries to paste');
      for (const expr of queries) none(expr);
    });
  test('finds names that are not emitted', () => {
    assert.deepEqual(unknownNames('sum by (kind) (rate(recording_jobz{job="a"}[5m]))', known), [
      'no series recording_jobz',
      'no series in it has kind',
    ]);
    assert.deepEqual(unknownNames('max(recording_jobs{recording_job_kint="a"}) > 3', known), [
      'recording_jobs has no recording_job_kint',
    ]);
  });
  test('reads names', () => {
    const { series, grouped } = namesIn(
      'histogram_quantile(0.9, sum by (le, a) (rate(x:y_bucket{b=~"c,d}", e!="f"}[5m] offset 1h))) or vector(0)',
    );
    assert.deepEqual([...series], [['x:y_bucket', new Set(['b', 'e'])]]);
    assert.deepEqual([...grouped], ['le', 'a']);
  });
});

test('each alert has a runbook, and each runbook an alert', async () => {
  const runbooks = await readRunbooks();
  assert.deepEqual(runbooks.map(({ name }) => name).sort(), [...alertNames(), ...GUIDES].sort());
  const index = runbooks.find(({ name }) => name === 'README')!;
  for (const name of alertNames()) assert(index.text.includes(`(${name}.md)`), `the index lacks ${name}`);
});

test('links between runbooks, and from panels to them, have targets', async () => {
  const runbooks = await readRunbooks();
  const names = new Set(runbooks.map(({ name }) => name));
  for (const { name, text } of runbooks)
    for (const [, target = ''] of text.matchAll(/\]\(([\w-]+)\.md\)/g))
      assert(names.has(target), `${name} links ${target}`);
  for (const { panels } of DASHBOARDS)
    for (const { title, runbook } of panels)
      assert(runbook === undefined || names.has(runbook), `${title}: ${runbook}`);
});

test('a panel has a description and a unit', () => {
  for (const { name, panels } of DASHBOARDS) {
    assert.equal(new Set(panels.map(({ title }) => title)).size, panels.length, name);
    for (const { title, description, kind, queries } of panels)
      assert(kind === 'text' || (description.length > 5 && queries.length > 0), `${name}: ${title}`);
  }
});

test('only span metrics request traces, and the runbook names the panels with them', async () => {
  const asked = DASHBOARDS.flatMap(({ panels }) => panels).filter(({ queries }) =>
    queries.some(each => each.exemplars),
  );
  assert(asked.length > 0);
  const { text } = (await readRunbooks()).find(({ name }) => name === 'which-step-is-slow')!;
  for (const { title, queries } of asked) {
    for (const { expr } of queries)
      for (const name of namesIn(expr).series.keys()) assert.match(name, /^traces_span_metrics_/, title);
    assert(text.includes(`*${title}*`), title);
  }
});

test('a factor divides windows and waits, but not thresholds', () => {
  const at = (factor: number, name: string) => ALERTS.find(alert => alert.name === name)!.expr(timeOf(factor));
  assert.match(at(1, 'LandingBudgetBurns'), /14\.4 \* 0\.001[\s\S]*\[1h\]\) \* 15 >= 5/);
  assert.match(at(60, 'LandingBudgetBurns'), /14\.4 \* 0\.001[\s\S]*\[1m\]\) \* 1 >= 5/);
  assert.match(at(60, 'ObjectStoreSlow'), /\[5s\]/);
  assert.equal(at(60, 'DiskFull'), at(1, 'DiskFull'));
  assert.throws(() => timeOf(0), /from 1 to 60/);
});
