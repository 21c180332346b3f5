import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnedAround } from './camera.ts';
import type { Event } from './events.ts';
import { warningOf } from './look.ts';
import type { Capture, Mode, State } from './state.ts';
import { initialState, offlineText } from './state.ts';
import {
  DEVICES,
  GOOD,
  kinds,
  play,
  response,
  SILENT,
  TO_CAMERA,
  TO_RECORDING,
  TO_REVIEW,
  take,
  tick,
  VISIT,
} from './testing.ts';

const modeOf = ({ phase }: State): Mode => (phase as Capture).mode;

test('from the first screen to a recording: the page claims a use before the countdown and creates the take after it', () => {
  assert.equal(play([...TO_CAMERA, tick(0)]).state.phase.at, 'capture');
  const claiming = play([...TO_CAMERA, tick(0), { is: 'record', now: 0 }]);
  assert.deepEqual(kinds(claiming.effects), ['claim']);
  const counting: Event[] = [...TO_CAMERA, tick(0), { is: 'record', now: 0 }, { is: 'claimed', response: response() }];
  const seconds = [100, 1_099, 1_100, 2_100].map(
    (now, at, all) =>
      modeOf(play([...counting, ...all.slice(0, at).map(t => tick(t)), tick(now)]).state) as { seconds: number },
  );
  assert.deepEqual(
    seconds.map(mode => mode.seconds),
    [3, 3, 2, 1],
  );
  const starting = play([...counting, tick(100), tick(3_100)]);
  assert.deepEqual(kinds(starting.effects), ['makeTake']);
  const recording = play(TO_RECORDING);
  assert.deepEqual(kinds(recording.effects), ['startUpload', 'keepAwake', 'startRecording', 'announce']);
  assert.equal(modeOf(recording.state).is, 'recording');
});

test('a silent or black camera holds the start after a while, and continues by itself once it works', () => {
  const pressed: Event[] = [...TO_CAMERA, tick(0, { ...SILENT, watchedMs: 100 }), { is: 'record', now: 0 }];
  assert.equal(modeOf(play([...pressed, tick(1_100, { ...SILENT, watchedMs: 1_200 })]).state).is, 'checking');
  const held = play([...pressed, tick(1_300, { ...SILENT, watchedMs: 1_400 })]);
  assert.deepEqual(modeOf(held.state), { is: 'held', why: 'silent' });
  assert.deepEqual(modeOf(play([...pressed, tick(1_300, { ...GOOD, seen: false })]).state), {
    is: 'held',
    why: 'black',
  });
  assert.equal(modeOf(play([tick(1_400, SILENT)], held.state).state).is, 'held');
  assert.deepEqual(modeOf(play([tick(1_500)], held.state).state), { is: 'ready' });
  const anyway = play([{ is: 'recordAnyway' }], held.state);
  assert.deepEqual(modeOf(anyway.state), { is: 'claiming', over: 'held', why: 'silent' });
});

test('silence is no fault once the contributor has said that they sign', () => {
  const pressed: Event[] = [...TO_CAMERA, { is: 'record', now: 0 }];
  const held = play([...pressed, tick(1_300, { ...SILENT, watchedMs: 1_400 })]);
  const signing = play([{ is: 'sign' }], held.state);
  assert.equal(modeOf(signing.state).is, 'claiming');
  const begun = play([{ is: 'claimed', response: response() }, tick(2_000), tick(5_000)], signing.state);
  const made = begun.effects.find(effect => effect.do === 'makeTake');
  assert.deepEqual([made?.answerMode, made?.signed], ['video', true]);
  const another: State = { ...signing.state, phase: { at: 'welcome' }, response: undefined };
  const again = play([...pressed, tick(100, SILENT)], another);
  assert.equal(modeOf(again.state).is, 'claiming', 'the page does not ask again');
  const black = play([...pressed, tick(1_300, { ...SILENT, seen: false, watchedMs: 1_400 })], another);
  assert.notEqual(modeOf(black.state).is, 'claiming', 'a black picture still is a fault');
  assert.equal(warningOf(take({ heard: false, signed: true })), undefined);
  assert.deepEqual(warningOf(take({ heard: false })), ['takeSilent']);
});

test('a recording of the sound alone opens no camera, and its take says so', () => {
  const start: Event[] = [
    { is: 'onlyTab' },
    { is: 'leftTakes', takes: [] },
    { is: 'start', termsAccepted: false, audio: true },
  ];
  const opening = play(start);
  const opened = opening.effects.find(effect => effect.do === 'openCamera');
  assert.equal(opened?.choice.audio, true);
  const sound = { ...DEVICES, cameras: [] };
  const made = play(
    [
      { is: 'cameraOpened', devices: sound },
      tick(0),
      { is: 'record', now: 0 },
      { is: 'claimed', response: response() },
      tick(0),
      tick(3_000),
    ],
    opening.state,
  ).effects.find(effect => effect.do === 'makeTake');
  assert.equal(made?.answerMode, 'audio');
});

test('a check waits only a limited time for a new camera', () => {
  const pressed: Event[] = [...TO_CAMERA, { is: 'record', now: 0 }];
  const late = { ...SILENT, watchedMs: 500 };
  assert.equal(modeOf(play([...pressed, tick(3_900, late)]).state).is, 'checking');
  assert.equal(modeOf(play([...pressed, tick(4_000, late)]).state).is, 'held');
});

test('the recording warns before its time limit, ends there, and gives the reason', () => {
  const minute = play([...TO_RECORDING, tick(3_000, GOOD, 60)]);
  assert.deepEqual(minute.effects, [{ do: 'announce', texts: [['secondsLeft', { seconds: 60 }]] }]);
  assert.deepEqual(play([tick(4_000, GOOD, 89)], minute.state).effects, []);
  const warned = play([tick(4_000, GOOD, 90)], minute.state);
  assert.deepEqual(warned.effects, [{ do: 'announce', texts: [['secondsLeft', { seconds: 30 }]] }]);
  assert.deepEqual(play([tick(4_100, GOOD, 91)], warned.state).effects, [], 'once');
  const ended = play([tick(5_000, GOOD, 120)], warned.state);
  assert.ok(kinds(ended.effects).includes('stopRecording'));
  const reviewed = play([{ is: 'recordingStopped', take: take() }], ended.state);
  assert.equal(reviewed.state.phase.at, 'review');
  assert.deepEqual((reviewed.state.phase as { notice?: unknown }).notice, ['limitReached']);
});

test('a camera that fails ends the recording and keeps the take', () => {
  const ended = play([...TO_RECORDING, { is: 'cameraEnded' }]);
  assert.deepEqual(kinds(ended.effects), ['stopRecording']);
  const { phase } = play([{ is: 'recordingStopped', take: take() }], ended.state).state;
  assert.deepEqual(phase, { at: 'review', notice: ['cameraEnded'], question: '' });
});

test('only a recording can be paused', () => {
  assert.deepEqual(play([...TO_CAMERA, { is: 'pause' }]).effects, []);
  const paused = play([...TO_RECORDING, { is: 'pause' }]);
  assert.deepEqual(kinds(paused.effects), ['pauseRecording', 'announce']);
  const resumed = play([{ is: 'resume' }], paused.state);
  assert.deepEqual(kinds(resumed.effects), ['resumeRecording', 'announce']);
  assert.equal(modeOf(resumed.state).is, 'recording');
});

test('an empty take is discarded, and the first screen says so', () => {
  const { state, effects } = play([...TO_RECORDING, { is: 'recordingStopped', take: take({ size: 0 }) }]);
  assert.equal(state.phase.at, 'welcome');
  assert.deepEqual(state.welcome.problem, ['nothingRecorded']);
  assert.deepEqual(kinds(effects), ['keepAwake', 'closeCamera', 'discardTake', 'focus']);
  assert.equal(state.take, undefined);
});

test('another camera cancels a countdown; if it fails, the previous one returns', () => {
  const counting: Event[] = [...TO_CAMERA, tick(0), { is: 'record', now: 0 }, { is: 'claimed', response: response() }];
  const turned = play([...counting, { is: 'deviceChosen', kind: 'camera', id: 'back' }]);
  assert.deepEqual(turned.effects, [{ do: 'openCamera', choice: { facing: 'user', camera: 'back' } }]);
  assert.equal(modeOf(turned.state).is, 'ready');
  const back = play([{ is: 'cameraFailed', problem: 'cameraBusy' }], turned.state);
  assert.deepEqual(back.effects, [{ do: 'openCamera', choice: { facing: 'user' } }]);
  const lost = play([{ is: 'cameraFailed', problem: 'cameraBusy' }], back.state);
  assert.equal(lost.state.phase.at, 'welcome');
  assert.deepEqual(lost.state.welcome.problem, ['cameraBusy']);
  assert.deepEqual(play([...TO_RECORDING, { is: 'flip' }]).effects, [], 'not in the middle of a take');
});

test('a phone switches to the other side, or to the next camera if none reports its side', () => {
  const choice = { facing: 'user', camera: 'front', microphone: 'm' } as const;
  assert.deepEqual(turnedAround(choice, { ...DEVICES, facing: 'user' }), { facing: 'environment', microphone: 'm' });
  assert.equal(turnedAround(choice, DEVICES).camera, 'back');
  assert.equal(turnedAround(choice, { ...DEVICES, camera: 'back' }).camera, 'front');
});

test('a missing camera leads to another device, a refused one to the first screen', () => {
  const failing = (problem: 'noCamera' | 'denied', inHand = false) =>
    play(
      [
        { is: 'start', termsAccepted: false },
        { is: 'cameraFailed', problem },
      ],
      initialState({ ...VISIT, inHand }),
    ).state;
  assert.deepEqual(failing('noCamera').phase, { at: 'elsewhere', reason: ['noCamera'] });
  assert.deepEqual(failing('noCamera', true).phase, { at: 'elsewhere', reason: undefined });
  assert.equal(failing('denied').phase.at, 'welcome');
  assert.deepEqual(failing('denied').welcome.problem, ['deniedDesktop'], 'the steps on this platform');
  assert.equal(failing('denied').offerElsewhere, true);
});

test('another take replaces the previous one', () => {
  const again = play([...TO_REVIEW, { is: 'again' }]);
  assert.deepEqual(kinds(again.effects), ['closePreview', 'openCamera']);
  const made = play(
    [
      { is: 'cameraOpened', devices: DEVICES },
      tick(9_000),
      { is: 'record', now: 9_000 },
      { is: 'claimed', response: response() },
      tick(9_100),
      tick(12_100),
    ],
    again.state,
  );
  const [make] = made.effects;
  assert.equal(make?.do === 'makeTake' && make.before?.id, 't1');
  assert.equal(made.state.take, undefined);
});

test('a refused use is shown with possible remedies', () => {
  const refused = (status: number) => {
    const { state, effects } = play([...TO_CAMERA, tick(0), { is: 'record', now: 0 }, { is: 'claimRefused', status }]);
    assert.deepEqual(kinds(effects), ['closeCamera', 'announce']);
    const { phase } = state;
    assert.ok(phase.at === 'problem');
    return [phase.text[0], phase.retry?.to];
  };
  assert.deepEqual(refused(410), ['linkGone', 'reload']);
  assert.deepEqual(refused(400), ['termsChanged', 'reload']);
  assert.deepEqual(refused(409), ['linkBusy', 'welcome']);
  assert.deepEqual(refused(429), ['tooMany', 'welcome']);
  assert.deepEqual(refused(0), ['noConnection', 'welcome']);
});

test('late events do not continue a screen that was left', () => {
  const gone = play([...TO_CAMERA, tick(0), { is: 'record', now: 0 }, { is: 'claimRefused', status: 409 }]).state;
  for (const event of [
    { is: 'cameraOpened', devices: DEVICES },
    { is: 'takeMade', take: take() },
    { is: 'recordingStopped', take: take() },
    { is: 'fileStored', take: take() },
    tick(1),
  ] as Event[])
    assert.equal(play([event], gone).state.phase, gone.phase, event.is);
  assert.deepEqual(kinds(play([{ is: 'cameraOpened', devices: DEVICES }], gone).effects), ['closeCamera']);
  assert.deepEqual(kinds(play([{ is: 'takeMade', take: take() }], gone).effects), ['discardTake']);
});

test('if another device continued the interview, the due question is shown before a recording', () => {
  const asking = initialState({ ...VISIT, questions: ['Who?', 'What?'] });
  const claimed = play(
    [...TO_CAMERA, tick(0), { is: 'record', now: 0 }, { is: 'claimed', response: response(['Who?', 'What?'], 1) }],
    asking,
  );
  const phase = claimed.state.phase as Capture;
  assert.deepEqual(phase.mode, { is: 'ready' });
  assert.deepEqual(phase.question, { number: 2, count: 2, text: 'What?' });
  assert.deepEqual(phase.notice, ['answeredElsewhere']);
  const pressed = play(
    [
      { is: 'record', now: 0 },
      { is: 'claimed', response: response(['Who?', 'What?'], 1) },
    ],
    claimed.state,
  );
  assert.equal(modeOf(pressed.state).is, 'countdown', 'the second press records');
  const reworded = play(
    [
      ...TO_CAMERA,
      tick(0),
      { is: 'record', now: 0 },
      { is: 'claimed', response: response(['Who were you?', 'What?']) },
    ],
    asking,
  ).state.phase as Capture;
  assert.deepEqual([reworded.mode.is, reworded.question?.text, reworded.notice], ['ready', 'Who were you?', undefined]);
  const whole = play([...TO_CAMERA, tick(0), { is: 'record', now: 0 }, { is: 'claimed', response: response([], 1) }]);
  assert.deepEqual(whole.state.phase, { at: 'done', text: ['doneElsewhere'], dialog: false });
});

test('a recording without a network says at once that it is stored on the device, and nothing else does', () => {
  const offline = play([...TO_RECORDING, { is: 'connection', online: false }]);
  assert.deepEqual(offline.effects, [{ do: 'announce', texts: [['offlineDevice']] }]);
  assert.deepEqual(offlineText(offline.state), ['offlineDevice']);
  assert.deepEqual(offlineText({ ...offline.state, visit: { ...VISIT, inHand: true } }), ['offlinePhone']);
  assert.equal(offlineText(play([{ is: 'connection', online: true }], offline.state).state), undefined);
  const progress = { safe: 5, declared: false, finishing: false, trouble: 'network' } as const;
  const cut = play([...TO_RECORDING, { is: 'progress', take: take({ stopped: false }), progress }]);
  assert.deepEqual(offlineText(cut.state), ['offlineDevice'], 'a connected network that does not reach the server');
  assert.deepEqual(play([...TO_REVIEW, { is: 'connection', online: false }]).effects, []);
});
