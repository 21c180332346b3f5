import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Settings } from '@recording-request/contract/project-settings';
import { acceptedTerms, asksQuestion, landingKind, withAnswer } from './response.ts';
import { landsClip, sumOfChanges, type TransferKind, takesUse } from './transfer.ts';

const at = new Date();
const settings = (interviewQuestions: string[]) => ({ interviewQuestions }) as Settings;
const answer = (questionIndex: number) => ({ questionIndex, submissionId: `s${questionIndex}`, at });

test('a response is complete with its last answer; answers keep the order of the questions', () => {
  assert.equal(withAnswer({ answers: [], settings: settings([]) }, answer(0)).complete, true);
  const first = withAnswer({ answers: [], settings: settings(['a', 'b']) }, answer(1));
  assert.equal(first.complete, false);
  const second = withAnswer({ answers: first.answers, settings: settings(['a', 'b']) }, answer(0));
  assert.equal(second.complete, true);
  assert.deepEqual(
    second.answers.map(one => one.questionIndex),
    [0, 1],
  );
});

test('only the questions of the settings can be answered; outside interviews, one question', () => {
  assert.equal(asksQuestion(settings([]), 0), true);
  assert.equal(asksQuestion(settings([]), 1), false);
  assert.equal(asksQuestion(settings(['a', 'b']), 1), true);
  assert.equal(asksQuestion(settings(['a', 'b']), 2), false);
  assert.equal(asksQuestion(settings(['a']), -1), false);
});

test('missing acceptance of required terms has its own reason', () => {
  const required = { requireTerms: true, termsText: 'Be kind.' };
  assert.throws(() => acceptedTerms(required, false, at), { code: 'invalid', reason: 'terms_required' });
  assert.equal(acceptedTerms(required, true, at)?.acceptedAt, at);
  assert.equal(acceptedTerms({ ...required, requireTerms: false }, false, at), null);
});

test('the counters of a link add up again after every sequence of transfers', () => {
  const sum = (...kinds: TransferKind[]) => sumOfChanges(kinds);
  assert.deepEqual(sum('begin', 'release'), { claimed: 0, landed: 0, submissionCount: 0 });
  assert.deepEqual(sum('begin', 'release', 'reclaim', 'land'), { claimed: 0, landed: 1, submissionCount: 1 });
  assert.deepEqual(sum('begin', 'land', 'count', 'count'), { claimed: 0, landed: 1, submissionCount: 3 });
});

test('only a transfer that takes a new use can be refused', () => {
  const kinds: TransferKind[] = ['begin', 'reclaim', 'release', 'land', 'count'];
  assert.deepEqual(kinds.filter(takesUse), ['begin', 'reclaim']);
  assert.deepEqual(kinds.filter(landsClip), ['land', 'count']);
  assert.equal(landingKind('held'), 'land');
  assert.equal(landingKind('landed'), 'count');
  assert.equal(landingKind('released'), undefined);
  assert.equal(landingKind('claiming'), undefined);
});
