import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RuleAlert } from '@recording-request/harness/prometheus';
import { alertRows, renderAlerts } from './alerts.ts';

const alert = (name: string, state: RuleAlert['state'], severity: string): RuleAlert => ({
  state,
  activeAt: '2026-11-01T10:11:12.345Z',
  labels: { alertname: name, severity, job: 'media' },
  annotations: { summary: `${name} <happens>`, runbook_url: `https://example.org/docs/runbooks/${name}.md` },
});

test('puts firing pages first and silenced alerts last', () => {
  const quiet = alert('ConsumerStuck', 'firing', 'page');
  const rows = alertRows(
    [
      quiet,
      alert('Waits', 'pending', 'page'),
      alert('Ticket', 'firing', 'ticket'),
      alert('KafkaAway', 'firing', 'page'),
    ],
    [{ labels: quiet.labels, status: { state: 'suppressed' } }],
  );
  assert.deepEqual(
    rows.map(({ name, state }) => [name, state]),
    [
      ['KafkaAway', 'firing'],
      ['Ticket', 'firing'],
      ['Waits', 'pending'],
      ['ConsumerStuck', 'quiet'],
    ],
  );
  const { text } = renderAlerts(rows);
  assert.match(text, /href="\/runbooks\/KafkaAway"/);
  assert.match(text, /KafkaAway &lt;happens&gt;/);
});

test('reports in words that there are no alerts', () => {
  assert.match(renderAlerts([]).text, /No alert fires/);
});
