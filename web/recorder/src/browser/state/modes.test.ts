import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnswerModeName } from '@recording-request/contract/resources/fields';
import { choiceOf, initialState, lacksRecorder, records, type Visit } from './state.ts';
import { kinds, play, response, take, VISIT } from './testing.ts';

const stateWith = (modes: AnswerModeName[], visit: Partial<Visit> = {}) => initialState({ ...VISIT, modes, ...visit });
const start = (modes: AnswerModeName[], visit: Partial<Visit> = {}) =>
  play(
    [{ is: 'onlyTab' }, { is: 'leftTakes', takes: [] }, { is: 'start', termsAccepted: false }],
    stateWith(modes, visit),
  );

test('the page records only where the project and the browser allow it', () => {
  assert.equal(records(stateWith(['file'])), false);
  assert.equal(records(stateWith(['audio'])), true);
  assert.equal(records(stateWith(['video'], { canRecord: false })), false);
  assert.equal(lacksRecorder(stateWith(['file'], { canRecord: false })), false, 'a file needs no recorder');
  assert.equal(lacksRecorder(stateWith(['video', 'file'], { canRecord: false })), true);
  assert.deepEqual(stateWith(['file'], { canRecord: false }).welcome, { hint: undefined });
});

test('without a recorder the start opens the camera app, unless files are not allowed', () => {
  assert.deepEqual(start(['video', 'file'], { canRecord: false }).effects, [{ do: 'openFileChooser', capture: true }]);
  assert.deepEqual(start(['video'], { canRecord: false }).effects, []);
  assert.deepEqual(kinds(start(['video']).effects), ['openCamera']);
});

test('the ways of the response replace those of the page', () => {
  const state = { ...stateWith(['video']), response: { ...response(), answerModes: ['audio' as const] } };
  assert.deepEqual(choiceOf(state), { facing: 'user', audio: true });
  assert.deepEqual(choiceOf(stateWith(['video', 'audio'])), { facing: 'user' });
});

test('after a take that was sent on an earlier visit, the next question asks for a way that is allowed', () => {
  const interview = { ...response(['One', 'Two'], 1), answerModes: ['file' as const] };
  const sending = { ...stateWith(['file']), startup: 'ready' as const, take: take({ sent: true, answerMode: 'file' }) };
  const settling = { ...sending, phase: { at: 'settling' as const, over: 'sending' as const } };
  const { state } = play([{ is: 'responseLoaded', response: interview }, { is: 'arrivalShown' }], settling);
  assert.equal(state.phase.at, 'welcome');
});
