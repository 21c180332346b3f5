import { test } from 'node:test';
import { firingRules } from './firing.ts';
import { promtoolPath } from './promtool.ts';
import { promtoolTest } from './trials/trial.ts';

const alert = (alertname: string, severity: string, labels: string) =>
  `ALERTS{alertname="${alertname}", alertstate="firing", severity="${severity}", ${labels}}`;
const MEDIA = [
  alert('MediaBudgetBurns', 'page', 'recording_step="media"'),
  alert('MediaBudgetBurns', 'ticket', 'recording_step="media"'),
];
const AWAY = alert('ServiceAway', 'page', 'job="media"');
const READS = alert('OwnerReadBudgetBurns', 'page', 'recording_step="owner-reads"');
const PENDING = MEDIA[0]!.replace('firing', 'pending');

const CASES: readonly { name: string; alerts: readonly string[]; page: number; ticket: number }[] = [
  { name: 'none', alerts: [PENDING], page: 0, ticket: 0 },
  { name: 'the ticket of a promise that pages', alerts: MEDIA, page: 1, ticket: 0 },
  { name: 'a cause, and what it explains', alerts: [...MEDIA, AWAY], page: 1, ticket: 0 },
  { name: 'a page with another cause', alerts: [...MEDIA, AWAY, READS], page: 2, ticket: 0 },
];

test('counts firing alerts without those that another alert explains', async () => {
  const count = 'recording:firing_alerts:count';
  await promtoolTest(await promtoolPath(), {
    'rules.yaml': { groups: [{ name: 'firing', rules: firingRules() }] },
    'test.yaml': {
      rule_files: ['rules.yaml'],
      tests: CASES.map(({ name, alerts, page, ticket }) => ({
        name,
        interval: '1m',
        input_series: alerts.map(series => ({ series, values: '1x5' })),
        promql_expr_test: [
          {
            expr: count,
            eval_time: '2m',
            exp_samples: Object.entries({ page, ticket }).map(([severity, value]) => ({
              labels: `${count}{severity="${severity}"}`,
              value,
            })),
          },
        ],
      })),
    },
  });
});
