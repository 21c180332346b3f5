import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quiet } from './quiet.ts';
import type { Alerting } from './system/prometheus.ts';

const DISK: Alerting = { alert: 'DiskFull', labels: {} };
const prometheusOf = (answers: Alerting[][]) => ({
  prometheus: { query: async () => [], firing: async () => answers.shift() ?? [] },
});
const { signal } = new AbortController();

test('an alert that fires again begins the wait anew', async t => {
  t.mock.timers.enable({ apis: ['Date'] });
  const answers = [[DISK], [], [], [DISK], []];
  const asked: number[] = [];
  const system = prometheusOf(answers);
  const { firing } = system.prometheus;
  system.prometheus.firing = async () => {
    t.mock.timers.tick(2_500);
    asked.push(Date.now());
    return firing();
  };
  assert.equal(await quiet(system, { limitMs: 60_000, signal, lookMs: 1 }), asked[4]);
});

test('what never ends is told, and so is a run that was ended', async () => {
  const always = { prometheus: { query: async () => [], firing: async () => [DISK] } };
  assert.equal(await quiet(always, { limitMs: 1, signal, lookMs: 1 }), undefined);
  await assert.rejects(quiet(always, { limitMs: 60_000, signal: AbortSignal.abort(new Error('Ctrl-C')) }));
});
