import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event } from './events.ts';
import type { FileLook } from './file.ts';
import { initialState, keptTake, type Message, screenOf } from './state.ts';
import { CHOSEN, FOUND, kinds, looked, play, response, TO_REVIEW, TO_SENDING, take, VISIT } from './testing.ts';

test('a browser without a recorder takes a file from the camera app', () => {
  const without = initialState({ ...VISIT, canRecord: false });
  assert.deepEqual(without.welcome.hint, ['noRecorder']);
  assert.deepEqual(play([{ is: 'start', termsAccepted: false }], without).effects, [
    { do: 'openFileChooser', capture: true },
  ]);
});

test('a file is checked before the page claims a use, then stored and shown; another one can be chosen there', () => {
  const chosen = play([CHOSEN]);
  assert.deepEqual(kinds(chosen.effects), ['lookAtFile']);
  assert.equal(screenOf(chosen.state.phase), 'welcome');
  const found = play([FOUND], chosen.state);
  assert.deepEqual(kinds(found.effects), ['claim']);
  const claimed = play([{ is: 'claimed', response: response() }], found.state);
  assert.deepEqual(kinds(claimed.effects), ['makeTake']);
  assert.equal(screenOf(claimed.state.phase), 'sending');
  const file = take({ byFile: true });
  const stored = play(
    [
      { is: 'takeMade', take: file },
      { is: 'fileStored', take: file },
    ],
    claimed.state,
  );
  assert.equal(stored.state.phase.at, 'review');
  const again = play([{ is: 'again' }], stored.state);
  assert.deepEqual(again.effects, [{ do: 'openFileChooser', capture: false }]);
  assert.equal(again.state.phase.at, 'review', 'the chooser can be closed again');
  const other = play([CHOSEN], again.state);
  assert.equal(screenOf(other.state.phase), 'review');
  const wrong = play([looked({ kind: 'audio' })], other.state);
  assert.deepEqual(kinds(wrong.effects), ['closePreview', 'focus']);
  assert.equal(keptTake(wrong.state), file, 'the previous take can be opened again');
  const good = play([FOUND], other.state);
  assert.deepEqual(kinds(good.effects), ['closePreview', 'claim']);
});

test('a file that is not a video or is too long is refused before the page claims a use, and another one can be chosen', () => {
  for (const [look, problem] of [
    [{ kind: 'empty' }, ['fileEmpty', { name: '\u2068clip.mp4\u2069' }]],
    [{ kind: 'pdf' }, ['filePdf', { name: '\u2068clip.mp4\u2069' }]],
    [{ kind: 'video', seconds: 122.1 }, ['tooLong', { time: '2:02', limit: '2:00' }]],
  ] as [FileLook, Message][]) {
    const { state, effects } = play([CHOSEN, looked(look)]);
    assert.equal(state.phase.at, 'welcome');
    assert.deepEqual([state.welcome.problem, state.welcome.ofFile], [problem, true]);
    assert.deepEqual(effects, [{ do: 'focus', on: 'chooseFile' }]);
  }
  for (const seconds of [undefined, 122])
    assert.deepEqual(kinds(play([CHOSEN, looked({ kind: 'video', seconds })]).effects), ['claim']);
});

const TO_READING: Event[] = [CHOSEN, FOUND, { is: 'claimed', response: response() }, { is: 'takeMade', take: take() }];

test('a file is not reviewed when another device was faster', () => {
  const reading = play([...TO_READING, { is: 'uploadEnded', take: take(), end: { kind: 'gone', code: 'answered' } }]);
  for (const is of ['fileStored', 'fileUnreadable'] as const)
    assert.equal(play([{ is, take: take() }], reading.state).state.phase.at, 'settling');
});

test('a file that cannot be read is discarded, and the first screen says what to do', () => {
  const { state, effects } = play([...TO_READING, { is: 'fileUnreadable', take: take() }]);
  assert.equal(state.phase.at, 'welcome');
  assert.deepEqual(state.welcome.problem, ['fileUnreadable']);
  assert.deepEqual(kinds(effects), ['discardTake', 'focus']);
  assert.equal(state.take, undefined);
});

test('a file that disappears during the upload can be chosen again, or another one', () => {
  for (const before of [TO_REVIEW, TO_SENDING]) {
    const { state, effects } = play([...before, { is: 'uploadEnded', take: take(), end: { kind: 'unreadable' } }]);
    assert.equal(state.phase.at, 'welcome');
    assert.deepEqual(state.welcome.problem, ['fileUnreadable']);
    assert.deepEqual(kinds(effects).slice(-2), ['discardTake', 'focus']);
    assert.equal(state.take, undefined);
  }
});
