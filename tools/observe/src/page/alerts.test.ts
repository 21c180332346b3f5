import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RuleAlert } from '@recording-request/harness/prometheus';
import { alertRows, type ManagedAlert, renderAlerts } from './alerts.ts';

const alert = (
  name: string,
  state: RuleAlert['state'],
  severity: string,
  labels: Record<string, string> = { job: 'media' },
): RuleAlert => ({
  state,
  activeAt: '2026-11-01T10:11:12.345Z',
  labels: { alertname: name, severity, about: 'process', ...labels },
  annotations: { summary: `${name} <happens>`, runbook_url: `https://example.org/docs/runbooks/${name}.md` },
});

/** Returns an alert as Alertmanager reports it. */
const managed = ({ labels }: RuleAlert, status: Partial<ManagedAlert['status']> = {}): ManagedAlert => ({
  fingerprint: `print of ${labels.alertname}`,
  labels,
  status: { inhibitedBy: [], silencedBy: [], ...status },
});
const stated = (rows: ReturnType<typeof alertRows>) => rows.map(({ name, state }) => [name, state]);

test('puts firing pages first and quiet alerts last', () => {
  const quiet = alert('ConsumerStuck', 'firing', 'page');
  const cause = alert('KafkaAway', 'firing', 'page');
  const rows = alertRows(
    [quiet, alert('Waits', 'pending', 'page'), alert('Ticket', 'firing', 'ticket'), cause],
    [managed(cause), managed(quiet, { inhibitedBy: ['print of KafkaAway'] })],
  );
  assert.deepEqual(stated(rows), [
    ['KafkaAway', 'firing'],
    ['Ticket', 'firing'],
    ['Waits', 'pending'],
    ['ConsumerStuck', 'quiet'],
  ]);
  const { text } = renderAlerts(rows);
  assert.match(text, /href="\/docs\/runbooks\/KafkaAway\.md"/);
  assert.match(text, /KafkaAway &lt;happens&gt;/);
});

test('counts no quiet page, and names the alert that explains it', () => {
  const quiet = alert('MediaBudgetBurns', 'firing', 'page');
  const cause = alert('ServiceAway', 'firing', 'page');
  const silenced = alert('DiskFull', 'firing', 'ticket');
  const { text } = renderAlerts(
    alertRows(
      [quiet, cause, silenced],
      [
        managed(cause),
        managed(quiet, { inhibitedBy: ['print of ServiceAway'] }),
        managed(silenced, { silencedBy: ['x'] }),
      ],
    ),
  );
  assert.match(text, /1 page and 0 tickets fire\./);
  assert.match(text, /page quiet: ServiceAway explains it/);
  assert.match(text, /ticket silenced by an operator/);
  assert.match(renderAlerts(alertRows([alert('Waits', 'pending', 'page')], [])).text, /0 pages and 0 tickets fire\./);
});

test('shows one row for the alerts of one objective: the most urgent', () => {
  const burn = (state: RuleAlert['state'], severity: string, burn: string) =>
    alert('MediaBudgetBurns', state, severity, { objective: 'media', recording_step: 'media', burn });
  const rows = alertRows(
    [
      burn('pending', 'page', '14.4'),
      burn('firing', 'ticket', '1'),
      burn('firing', 'ticket', '3'),
      burn('firing', 'page', '6'),
      alert('ServiceAway', 'firing', 'page'),
      alert('ServiceAway', 'firing', 'page', { job: 'webhooks' }),
    ],
    [],
  );
  assert.deepEqual(
    rows.map(({ name, severity, subject }) => [name, severity, subject]),
    [
      ['MediaBudgetBurns', 'page', 'media'],
      ['ServiceAway', 'page', 'media'],
      ['ServiceAway', 'page', 'webhooks'],
    ],
  );
});

test('an alert whose condition is over says until when it is held, and does not count', () => {
  const held = { ...alert('ServiceAway', 'firing', 'page'), heldUntil: '2026-11-01T10:15:00.000Z' };
  const { text } = renderAlerts(alertRows([held, alert('DiskFull', 'firing', 'ticket')], []));
  assert.match(text, /page over, held until 10:15:00 UTC/);
  assert.match(text, /0 pages and 1 ticket fire\./);
  assert(text.indexOf('DiskFull') < text.indexOf('ServiceAway'));
});

test('reports in words that there are no alerts', () => {
  assert.match(renderAlerts([]).text, /No alert fires/);
});
