import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Expectation, Sent } from './alert.ts';
import { type Costs, firstOf, isAbsent, isNamed, judgeDrill, slowest } from './judge.ts';

const BEGAN = 1_000_000;
const ENDED = BEGAN + 20_000;
const QUIET = BEGAN + 60_000;
const STUCK: Expectation = {
  alert: 'ConsumerStuck',
  severity: 'page',
  labels: { messaging_consumer_group_name: /\.webhooks$/ },
};

const sent = (alert: string, severity: string, seconds: number, labels = {}): Sent => ({
  ...{ alert, severity, labels },
  at: BEGAN + seconds * 1_000,
});
const own = sent('ConsumerStuck', 'page', 12, { messaging_consumer_group_name: 'a.webhooks', topic: 'a' });
const judged = (all: Sent[], quietAt: number | undefined = QUIET) =>
  judgeDrill(STUCK, { sent: all, began: BEGAN, ended: ENDED, quietAt });

test('a drill passes with the fault’s alert, alone or with tickets', () => {
  const verdict = judged([sent('LandingSlow', 'ticket', 8), own, { ...own, at: own.at + 9_000 }]);
  assert.deepEqual(verdict, { firedAfter: 12, isDuring: true, others: [], misses: [] });
});

test('a missing alert is a miss, as is one about another part or of another severity', () => {
  assert.match(judged([]).misses.join(), /ConsumerStuck .*webhooks.* did not fire$/);
  const other = sent('ConsumerStuck', 'page', 12, { messaging_consumer_group_name: 'a.media' });
  assert.equal(judged([other]).firedAfter, undefined);
  assert.match(judged([other]).misses.join(), /did not fire, but fired as page .*media.*another page fired: .*media/);
  assert.equal(judged([{ ...own, severity: 'ticket' }]).firedAfter, undefined);
});

test('an alert that fires only after the fault is a miss', () => {
  const late = judged([{ ...own, at: ENDED + 1 }]);
  assert.equal(late.isDuring, false);
  assert.deepEqual(late.misses, ['the page ConsumerStuck fired after the fault had ended']);
});

test('any other page is a miss, before and after the fault’s alert, and reported once', () => {
  const burn = sent('MediaSlow', 'page', 3, { job: 'submissions' });
  const verdict = judged([burn, own, { ...burn, at: burn.at + 20_000 }]);
  assert.deepEqual(verdict.others, ['MediaSlow (job submissions)']);
  assert.deepEqual(verdict.misses, ['another page fired: MediaSlow (job submissions)']);
});

test('alerts that keep firing are a miss', () => {
  const verdict = judgeDrill(STUCK, { sent: [own], began: BEGAN, ended: ENDED, quietAt: undefined });
  assert.equal(verdict.misses.length, 1);
});

test('names the step whose cost rose most, and no faster one', () => {
  assert.equal(slowest({ store: 0.2, speech: 1.5, database: -3 }), 'speech');
  assert.equal(slowest({ store: -0.1 }), undefined);
  assert.equal(slowest({}), undefined);
});

test('names a step after several consecutive results', () => {
  const [store, kafka]: Costs[] = [
    { store: 2, kafka: 1 },
    { store: 1, kafka: 2 },
  ];
  assert.equal(isNamed('store', [kafka!, store!, store!, store!, store!]), true);
  assert.equal(isNamed('store', [store!, store!, store!]), false);
  assert.equal(isNamed('store', [store!, store!, kafka!, store!, store!]), false);
});

const series = (job: string, value: number) => ({ labels: { job }, points: [[0, value] as [number, number]] });

test('a query names the part with the highest or the lowest value', () => {
  const all = [series('media', 1), series('webhooks', 3), series('gateway', 2)];
  assert.equal(firstOf(all, 'job', 'highest'), 'webhooks');
  assert.equal(firstOf(all, 'job', 'lowest'), 'media');
  assert.equal(firstOf([], 'job', 'highest'), undefined);
});

test('a query names a part by its absence, unless it returns nothing', () => {
  const both = [series('media', 1), series('webhooks', 1)];
  assert.equal(isAbsent(both, 'job', 'transcription'), true);
  assert.equal(isAbsent(both, 'job', 'media'), false);
  assert.equal(isAbsent([], 'job', 'transcription'), false);
});
