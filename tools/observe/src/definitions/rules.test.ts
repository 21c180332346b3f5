import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { EVIDENCE, KEEP_FIRING, LEAST_KEEP_FIRING } from './alert.ts';
import { ALERTS, alertNames } from './alerts.ts';
import { EVERY } from './burn-rates.ts';
import { EXPLAINS, type Selection } from './explains.ts';
import { promtoolPath } from './promtool.ts';
import { CAUSE_TRIALS } from './trials/causes.ts';
import { PROMISE_TRIALS } from './trials/promises.ts';
import { SOON } from './trials/soon.ts';
import { runSoonTrials, runTrials } from './trials/trial.ts';

const TRIALS = { ...CAUSE_TRIALS, ...PROMISE_TRIALS };

describe('every alert fires on its fault and on no other', () => {
  let promtool = '';
  before(async () => {
    promtool = await promtoolPath();
  });
  for (const name of alertNames()) test(name, async () => await runTrials(promtool, TRIALS[name] ?? assert.fail()));
});

test('a page about a cause fires during a fault of three minutes, and ends after it', async () => {
  await runSoonTrials(await promtoolPath(), SOON);
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
const selected = ({ alerts }: Selection) =>
  alertNames().filter(name => alerts.some(each => new RegExp(`^(${each})$`).test(name)));
/** Returns every cause with its effects, by their names. An alert never explains alerts of its own name here. */
const explanations = () =>
  EXPLAINS.filter(({ equal }) => !equal?.includes('alertname'))
    .flatMap(({ cause, effects }) =>
      selected(cause).flatMap(name => selected(effects).map(effect => [name, effect] as const)),
    )
    .filter(([name, effect]) => name !== effect);

test('an explained alert exists, and waits at least as long as its cause', () => {
  for (const { cause, effects } of EXPLAINS)
    for (const { alerts } of [cause, effects])
      for (const each of alerts) assert(selected({ alerts: [each] }).length > 0, `no alert ${each}`);
  for (const [cause, effect] of explanations())
    assert(waitOf(effect) >= waitOf(cause), `${effect} would fire before ${cause}`);
});

test('only a page silences a page', () => {
  const severities = (name: string) => new Set(ALERTS.filter(alert => alert.name === name).map(each => each.severity));
  for (const [cause, effect] of explanations())
    assert(severities(cause).has('page') || !severities(effect).has('page'), `the ticket ${cause} silences ${effect}`);
});

test('a cause fires for longer than the evidence of its effects lasts', () => {
  assert(KEEP_FIRING >= EVIDENCE + 2 * EVERY);
});

test('the alert about Kafka outlasts the alert about consumers that join their groups again', () => {
  const keeps = (wanted: string) =>
    ALERTS.find(({ name }) => name === wanted)!.keepFiring ?? { seconds: KEEP_FIRING, least: LEAST_KEEP_FIRING };
  const [kafka, consumers] = [keeps('EventsNotPublished'), keeps('ConsumerStuck')];
  const JOIN = 15;
  assert(kafka.seconds >= consumers.seconds + JOIN + EVERY);
  assert(kafka.least >= consumers.least + JOIN + 1);
});

test('no alert explains itself through others', () => {
  const pairs = explanations();
  const causes = new Set(pairs.map(([cause]) => cause));
  // Removes the alerts that nothing explains, until none is left. In a circle, each alert has a cause.
  while (causes.size > 0) {
    const explained = new Set(pairs.filter(([cause]) => causes.has(cause)).map(([, effect]) => effect));
    const first = [...causes].filter(cause => !explained.has(cause));
    assert(first.length > 0, `a circle: ${[...causes].join(', ')}`);
    for (const cause of first) causes.delete(cause);
  }
});
