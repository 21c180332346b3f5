import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Prometheus } from '@recording-request/harness/prometheus';
import { parseDashboard } from '../../page/dashboard.ts';
import { renderPanel } from '../../page/panel.ts';
import { DASHBOARDS, dashboardFiles } from './all.ts';
import type { Unit } from './panel.ts';

const FILES = dashboardFiles({ runbooks: 'docs/runbooks', traces: 'http://localhost:9411' });
const PANELS = DASHBOARDS.flatMap(({ name, panels }) =>
  panels.map(panel => ({ ...panel, where: `${name}: ${panel.title}` })),
).filter(({ queries }) => queries.length > 0);

/** The permitted units by pattern. The first pattern that a query matches decides. */
const UNITS: readonly [RegExp, readonly Unit[]][] = [
  [/^count/, ['none']],
  [/_ratio_sum/, ['none']],
  [/histogram_quantile|:mean\d/, ['s']],
  [/_ratio|:ratio| \/ /, ['percentunit']],
  [/cpu_time/, ['suffix:cores']],
  [/seconds_more/, ['suffix:s/s']],
  // Seconds per second are a number of calls or processes.
  [/_seconds_(?:sum|total)|server_seconds:rate|increase\(/, ['none']],
  [/rate\(/, ['ops', 'reqps']],
  [/_seconds\b/, ['s']],
  [/_bytes/, ['bytes']],
  [/./, ['none']],
];
const unitsOf = (expr: string) => UNITS.find(([pattern]) => pattern.test(expr))![1];

describe('a panel', () => {
  test('has one unit, which fits its queries', () => {
    for (const { where, unit, queries } of PANELS)
      for (const { expr } of queries) assert(unitsOf(expr).includes(unit!), `${where}: ${unit}: ${expr}`);
  });

  test('shows the waits of getMore apart from other commands', () => {
    const commands = PANELS.flatMap(({ where, queries }) => queries.map(({ expr }) => ({ where, expr }))).filter(
      ({ expr }) => /db_client_operation_duration_seconds_(?:sum|bucket)/.test(expr),
    );
    assert(commands.length > 0);
    for (const { where, expr } of commands) assert.match(expr, /db_operation_name!?="getMore"/, where);
  });

  test('has colours by name in Grafana', () => {
    for (const text of Object.values(FILES))
      for (const { type, title, fieldConfig } of JSON.parse(text).panels)
        if (type === 'timeseries')
          assert.deepEqual(fieldConfig.defaults.color, { mode: 'palette-classic-by-name' }, title);
  });

  test('shows nothing below zero where only rounding errors can be negative', () => {
    for (const { where, queries } of PANELS)
      for (const { expr } of queries)
        if (/server_seconds_more/.test(expr)) assert.match(expr, /^clamp_min\(/, where);
        else if (/budget_left/.test(expr)) assert.match(expr, / (?:>=|<) 0\b/, where);
  });
});

describe('the page draws each panel', () => {
  const series = [{ labels: { job: 'media', objective: 'media', times: '23.3' }, points: [[990, 0.5]] }];
  const prometheus = { range: async () => series, now: async () => series, exemplars: async () => [] };
  const context = {
    ...{ prometheus: prometheus as unknown as Prometheus, variables: [], scrapeSeconds: 15 },
    span: { start: 0, end: 1_000, stepSeconds: 10 },
  };
  for (const [name, text] of Object.entries(FILES))
    test(name, async () => {
      for (const panel of parseDashboard(text, name).panels) {
        const drawn = await renderPanel(panel, context);
        assert.doesNotMatch(drawn.text, /class="(?:fault|empty)"/, panel.title);
        assert(panel.kind === 'text' || /class="(?:chart|figure[ "])/.test(drawn.text), panel.title);
      }
    });
});
