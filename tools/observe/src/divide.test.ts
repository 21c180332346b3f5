import assert from 'node:assert/strict';
import { test } from 'node:test';
import { divideDurations, millisecondsOf } from './divide.ts';

test('every window and wait of a rule is divided, and nothing else', () => {
  const rule = `groups:
  - name: landing-5m
    interval: 30s
    rules:
      - alert: LandingBurns
        expr: |
          sum(rate(a_seconds_count[1h30m])) > 14.4 * b:ratio_rate5m offset 10m
            and max_over_time(c[6h:1m]) > 600
        for: 2m
        keep_firing_for: "15m"
        annotations:
          summary: waits for 5m [see the runbook]
`;
  assert.equal(
    divideDurations(rule, 60, 2_000),
    `groups:
  - name: landing-5m
    interval: 2000ms
    rules:
      - alert: LandingBurns
        expr: |
          sum(rate(a_seconds_count[90000ms])) > 14.4 * b:ratio_rate5m offset 10000ms
            and max_over_time(c[360000ms:2000ms]) > 600
        for: 2000ms
        keep_firing_for: "15000ms"
        annotations:
          summary: waits for 5m [see the runbook]
`,
  );
  assert.equal(divideDurations(rule, 1, 2_000), rule);
});

test('what was shorter than the least stays, and none becomes some', () => {
  assert.equal(divideDurations('for: 0s\nfor: 1s\n', 60, 2_000), 'for: 0s\nfor: 1000ms\n');
  assert.equal(millisecondsOf('1d2h3m4s5ms'), 93_784_005);
});
