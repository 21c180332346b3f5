import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { KEPT } from './alert.ts';
import { ALERTS, alertNames } from './alerts.ts';
import { BASE } from './burn-rates.ts';
import { EXPLAINS } from './explains.ts';
import { promtoolPath } from './promtool.ts';
import { MINUTE } from './time.ts';
import { CAUSE_TRIALS } from './trials/causes.ts';
import { PROMISE_TRIALS } from './trials/promises.ts';
import { runTrials } from './trials/trial.ts';

const TRIALS = { ...CAUSE_TRIALS, ...PROMISE_TRIALS };

describe('every alert fires on its fault and on no other', () => {
  let promtool = '';
  before(async () => {
    promtool = await promtoolPath();
  });
  for (const name of alertNames()) test(name, async () => await runTrials(promtool, TRIALS[name] ?? assert.fail()));
});

test('every alert has a trial in which it fires and one in which it does not', () => {
  assert.deepEqual(Object.keys(TRIALS).sort(), alertNames().sort());
  for (const [name, trials] of Object.entries(TRIALS)) {
    assert(
      trials.some(({ fires }) => fires.some(fired => fired.startsWith(`${name} `))),
      name,
    );
    assert(
      trials.some(({ fires }) => fires.length === 0),
      name,
    );
  }
});

const waitOf = (name: string) =>
  Math.min(...ALERTS.filter(alert => alert.name === name).map(alert => alert.forSeconds));

test('an explained alert exists, and waits at least as long as its cause', () => {
  for (const [cause, effects] of Object.entries(EXPLAINS))
    for (const effect of effects) {
      assert(alertNames().includes(cause) && alertNames().includes(effect), `${cause} explains ${effect}`);
      assert(waitOf(effect) >= waitOf(cause), `${effect} would fire before ${cause}`);
    }
});

test('the cause of a broken promise fires for longer than the window of the page', () => {
  const shortWindow = 30 * MINUTE;
  assert(KEPT > shortWindow + BASE, 'an average over half an hour of rates over five minutes');
  for (const [cause, effects] of Object.entries(EXPLAINS))
    if (effects.some(effect => effect.endsWith('Burns')))
      for (const { keepSeconds = 0 } of ALERTS.filter(({ name, about }) => name === cause && about !== 'promise'))
        assert(keepSeconds >= KEPT, cause);
});

test('no alert explains itself through others', () => {
  const visit = (name: string, path: readonly string[]): void => {
    assert(!path.includes(name), [...path, name].join(' explains '));
    for (const effect of EXPLAINS[name] ?? []) visit(effect, [...path, name]);
  };
  for (const name of Object.keys(EXPLAINS)) visit(name, []);
});
