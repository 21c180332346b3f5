import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { RuleAlert } from '@recording-request/harness/prometheus';
import { quiet } from './quiet.ts';

const firing = (severity: string, about: string): RuleAlert => ({
  ...{ state: 'firing', activeAt: '', annotations: {} },
  labels: { severity, about },
});
const DISK = firing('page', 'process');
const burning = (severity: string) => firing(severity, 'promise');

/**
 * Returns a Prometheus whose queries take 2.5 s each. They return the given results in order, then repeat the last one.
 */
function asked(t: TestContext, answers: RuleAlert[][]) {
  t.mock.timers.enable({ apis: ['Date'] });
  const at: number[] = [];
  const alerts = async () => {
    t.mock.timers.tick(2_500);
    at.push(Date.now());
    return answers[Math.min(at.length, answers.length) - 1]!;
  };
  return { at, prometheus: { alerts } };
}

const limits = { limitMs: 60_000, signal: new AbortController().signal, lookMs: 1 };

test('restarts the wait when an alert fires again', async t => {
  const system = asked(t, [[DISK], [], [], [DISK], []]);
  assert.equal(await quiet(system, limits), system.at[4]);
});

test('does not wait for a ticket about a promise, whose window is days long', async t => {
  const system = asked(t, [[burning('page')], [burning('ticket')]]);
  assert.equal(await quiet(system, limits), system.at[1]);
});

test('reports an alert that never ends', async t => {
  assert.equal(await quiet(asked(t, [[burning('page')]]), limits), undefined);
});

test('stops waiting when the run is cancelled', async t => {
  const ended = { ...limits, signal: AbortSignal.abort(new Error('Ctrl-C')) };
  await assert.rejects(quiet(asked(t, [[DISK]]), ended));
});
