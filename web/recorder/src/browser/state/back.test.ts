import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canGoBack } from './back.ts';
import type { Event } from './events.ts';
import type { Capture, State } from './state.ts';
import { initialState } from './state.ts';
import {
  DEVICES,
  kinds,
  play,
  response,
  TO_CAMERA,
  TO_RECORDING,
  TO_REVIEW,
  TO_SENDING,
  take,
  tick,
  VISIT,
} from './testing.ts';

const BACK: Event = { is: 'back' };
const modeOf = ({ phase }: State) => (phase as Capture).mode.is;

test('Back leaves the page only on its first and last screens', () => {
  assert.equal(canGoBack(initialState(VISIT)), false);
  const done = play([
    ...TO_SENDING,
    { is: 'uploadEnded', take: take({ sent: true }), end: { kind: 'landed' } },
    { is: 'responseLoaded', response: response([], 1) },
  ]);
  assert.equal(done.state.phase.at, 'done');
  assert.equal(canGoBack(done.state), false);
  const elsewhere = play([{ is: 'goElsewhere' }, BACK]);
  assert.equal(elsewhere.state.phase.at, 'welcome');
});

test('Back turns the camera off, even one that is still starting', () => {
  for (const events of [TO_CAMERA, TO_CAMERA.slice(0, -1)]) {
    const back = play([...events, BACK]);
    assert.equal(back.state.phase.at, 'welcome');
    assert.deepEqual(kinds(back.effects), ['closeCamera']);
  }
  const counting = play([
    ...TO_CAMERA,
    tick(0),
    { is: 'record', now: 0 },
    { is: 'claimed', response: response() },
    BACK,
  ]);
  assert.equal(modeOf(counting.state), 'ready', 'a countdown is cancelled');
});

test('Back pauses a recording, ends it the second time, and loses nothing', () => {
  const held = play([...TO_RECORDING, BACK]);
  assert.equal(modeOf(held.state), 'paused');
  assert.equal(kinds(held.effects)[0], 'pauseRecording');
  const ended = play([BACK], held.state);
  assert.deepEqual(kinds(ended.effects), ['stopRecording']);
  assert.equal(play([{ is: 'recordingStopped', take: take() }], ended.state).state.phase.at, 'review');
  const without = { ...play(TO_RECORDING).state, visit: { ...VISIT, canPause: false } };
  assert.deepEqual(kinds(play([BACK], without).effects), ['stopRecording']);
});

test('a button and Back lead from the camera to the existing take', () => {
  const again = play([...TO_REVIEW, { is: 'again' }, { is: 'cameraOpened', devices: DEVICES }]);
  for (const event of [BACK, { is: 'backToTake' }] as const) {
    const back = play([event], again.state);
    assert.equal(back.state.phase.at, 'review');
    assert.equal(back.state.take?.id, 't1');
    assert.deepEqual(kinds(back.effects), ['closeCamera', 'openPreview', 'announce']);
  }
  const failed = play([...TO_REVIEW, { is: 'again' }, { is: 'cameraFailed', problem: 'cameraBusy' }]);
  assert.deepEqual(failed.state.phase, { at: 'review', notice: ['cameraBusy'], question: '' });
  const first = play([...TO_REVIEW, BACK]);
  assert.deepEqual([first.state.phase.at, kinds(first.effects)], ['welcome', ['closePreview']]);
  assert.equal(play([{ is: 'backToTake' }], first.state).state.phase.at, 'review');
  assert.equal(
    play([...TO_RECORDING, { is: 'backToTake' }]).state.phase.at,
    'capture',
    'it has replaced the earlier take',
  );
});

test('a sent take stays in view; Back does not return to a refused one', () => {
  const sending = play(TO_SENDING).state;
  assert.equal(canGoBack(sending), true);
  assert.equal(play([BACK], sending).state, sending);
  const end = { kind: 'refused', code: 'too_long' } as const;
  const retried = play([...TO_SENDING, { is: 'uploadEnded', take: take(), end }, { is: 'retry' }, BACK]);
  assert.equal(retried.state.phase.at, 'welcome');
  assert.deepEqual(play([{ is: 'backToTake' }], retried.state).effects, []);
});
