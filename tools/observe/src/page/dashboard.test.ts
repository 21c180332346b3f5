import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL, parseDashboard } from './dashboard.ts';
import { legendOf, resolveNames, spanOf } from './expression.ts';

const SPAN = { start: 1_000, end: 4_600, stepSeconds: 20 };

test("replaces Grafana's names and the dashboard's variables in a query", () => {
  const variables = [
    { name: 'job', chosen: 'gateway' },
    { name: 'topic', chosen: ALL },
  ];
  const resolve = (expr: string) => resolveNames({ expr }, variables, SPAN, 5);
  assert.equal(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is Grafana's form
    resolve('a{job="$job", topic=~"${topic:regex}"}[$__rate_interval]'),
    'a{job="gateway", topic=~".*"}[25s]',
  );
  assert.equal(resolve('b[$__range] / $__range_s / $__interval'), 'b[3600s] / 3600 / 20s');
  // Keeps an unknown name, so that Prometheus refuses it. The `$` at the end of a regular expression is not a name.
  assert.equal(resolve('c{d=~"x.*$"} $other'), 'c{d=~"x.*$"} $other');
});

test('a rate covers at least four scrapes, and points are on whole steps', () => {
  assert.equal(resolveNames({ expr: '$__rate_interval' }, [], { ...SPAN, stepSeconds: 1 }, 15), '60s');
  assert.deepEqual(spanOf(10_007, 3_600), { start: 6_400, end: 10_000, stepSeconds: 20 });
});

test('names a line by its legend, or else by its labels', () => {
  const labels = { __name__: 'up', job: 'gateway', instance: 'a' };
  assert.equal(legendOf('{{job}} of {{ nobody }}', labels), 'gateway of');
  assert.equal(legendOf('{{nobody}}', labels), 'none');
  assert.equal(legendOf('', labels), 'up job=gateway instance=a');
  assert.equal(legendOf('__auto', {}), 'value');
});

test('shows panels of collapsed rows, hides hidden queries, and marks an unknown kind', () => {
  const { panels, title, variables } = parseDashboard(
    JSON.stringify({
      title: 'Recording Request: Start',
      panels: [
        {
          type: 'row',
          title: 'Row',
          panels: [{ id: 7, type: 'stat', targets: [{ expr: 'a' }, { expr: 'b', hide: true }] }],
        },
        { type: 'heatmap', title: 'Heat' },
      ],
      templating: {
        list: [
          { name: 'job', type: 'query', query: { query: 'label_values(up{a="b"}, job)' }, includeAll: true },
          { name: 'kind', type: 'custom', query: 'x, y', current: { value: ['y'] } },
          { name: 'source', type: 'datasource', query: 'prometheus' },
        ],
      },
    }),
    'file',
  );
  assert.deepEqual(
    panels.map(({ kind, targets }) => [kind, targets.map(({ expr }) => expr)]),
    [
      ['row', []],
      ['stat', ['a']],
      [undefined, []],
    ],
  );
  assert.equal(title, 'Start');
  assert.deepEqual(
    variables.map(({ name, options, chosen }) => [name, options, chosen]),
    [
      ['job', { label: 'job', match: 'up{a="b"}' }, ALL],
      ['kind', ['x', 'y'], 'y'],
    ],
  );
});
