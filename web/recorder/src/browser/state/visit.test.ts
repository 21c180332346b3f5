import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LANGUAGES } from '../../languages.ts';
import type { Event } from './events.ts';
import { initialState, type Problem, screenOf, shareOf, type UploadState, uploadSecondsOf } from './state.ts';
import type { Take } from './take.ts';
import { CHOSEN, FOUND, kinds, play, response, TO_RECORDING, TO_REVIEW, TO_SENDING, take, VISIT } from './testing.ts';

const QUESTIONS = ['Who?', 'What?'];
const landed: Event = { is: 'uploadEnded', take: take({ sent: true }), end: { kind: 'landed' } };
const upload = (fields: Partial<UploadState>): UploadState => ({
  uploadId: 'u1',
  state: 'landed',
  incomplete: false,
  error: null,
  errorCode: null,
  ...fields,
});

test('nothing begins without accepted terms if the project has them', () => {
  const asking = initialState({ ...VISIT, requireTerms: true });
  const refused = play([{ is: 'start', termsAccepted: false }], asking);
  assert.deepEqual(refused.effects, [{ do: 'focus', on: 'terms' }]);
  assert.deepEqual(refused.state.welcome.problem, ['termsMissing']);
  assert.equal(play([{ is: 'termsChanged' }], refused.state).state.welcome.problem, undefined);
  assert.deepEqual(kinds(play([{ is: 'start', termsAccepted: true }], asking).effects), ['openCamera']);
  assert.deepEqual(play([{ is: 'chooseFile', termsAccepted: false }], asking).effects, [{ do: 'focus', on: 'terms' }]);
});

test('a take is sent when the contributor presses Send', () => {
  const sent = play(TO_SENDING);
  assert.equal(sent.state.phase.at, 'sending');
  assert.deepEqual(kinds(sent.effects), ['closePreview', 'keepAwake', 'sendTake', 'watchSending']);
});

test('a landed take is deleted before the page says that it arrived', () => {
  const settling = play([...TO_SENDING, landed]);
  assert.deepEqual(kinds(settling.effects), ['keepAwake', 'closePreview', 'closeCamera', 'loadResponse']);
  assert.equal(screenOf(settling.state.phase), 'sending');
  const load = settling.effects.at(-1);
  assert.equal(load?.do === 'loadResponse' && load.forget, 't1');
  const done = play([{ is: 'responseLoaded', response: response([], 1) }], settling.state);
  assert.deepEqual(done.state.phase, { at: 'done', text: ['doneText'], dialog: false });
});

test('an interview continues with its next question, and ends on its own page', () => {
  const begun = { ...play(TO_SENDING).state, response: response(QUESTIONS) };
  const next = play([landed, { is: 'responseLoaded', response: response(QUESTIONS, 1) }], begun);
  assert.deepEqual(next.state.phase, {
    at: 'arrived',
    answered: 1,
    next: { number: 2, count: 2, text: 'What?' },
  });
  assert.deepEqual(kinds(next.effects), ['holdArrival', 'announce']);
  assert.equal(play([{ is: 'back' }], next.state).state.phase.at, 'arrived', 'Back does not skip the tick');
  const shown = play([{ is: 'arrivalShown' }], next.state);
  assert.deepEqual(kinds(shown.effects), ['openCamera']);
  assert.equal(screenOf(shown.state.phase), 'done', 'the tick stays until the camera is on');
  const opened = play([{ is: 'cameraOpened', devices: { cameras: [], microphones: [] } }], shown.state);
  assert.ok(opened.state.phase.at === 'capture');
  assert.deepEqual(opened.state.phase.question, { number: 2, count: 2, text: 'What?' });
  const last = play([landed, { is: 'responseLoaded', response: response(QUESTIONS, 2) }], begun);
  assert.deepEqual(kinds(last.effects), ['goToThankYou']);
});

test('the page does not welcome back between the answers of one visit', () => {
  const begun = { ...play(TO_SENDING).state, response: response(QUESTIONS), byFile: true };
  const { state } = play(
    [landed, { is: 'responseLoaded', response: response(QUESTIONS, 1) }, { is: 'arrivalShown' }],
    begun,
  );
  assert.equal(state.phase.at, 'welcome');
  assert.deepEqual(state.welcome.hint, ['earlierAnswers', { number: 2, count: 2 }]);
  assert.doesNotMatch(JSON.stringify([...LANGUAGES.values()]), /welcome back|willkommen zurück|bentornato/i);
});

test("the owner's dialog comes once, before the end", () => {
  const begun = { ...play(TO_SENDING).state, visit: { ...VISIT, successDialog: true } };
  const next = play([landed, { is: 'responseLoaded', response: response([], 1) }], begun);
  assert.deepEqual(kinds(next.effects), ['announce', 'openDialog']);
  const closed = play([{ is: 'dialogClosed' }], next.state);
  assert.deepEqual(kinds(closed.effects), ['announce']);
  assert.deepEqual(closed.state.phase, { at: 'done', text: ['doneText'], dialog: false });
});

test('a refused take can be saved, and taken again', () => {
  const end = { kind: 'refused', code: 'too_long' } as const;
  const refused = play([...TO_SENDING, { is: 'uploadEnded', take: take(), end }]);
  const problem = refused.state.phase as Problem;
  assert.deepEqual(problem.text, ['refusedTooLong', { limit: '2:00' }]);
  assert.ok(kinds(refused.effects).includes('offerSave'));
  assert.deepEqual(kinds(play([{ is: 'retry' }], refused.state).effects), ['closePreview', 'openCamera']);
  assert.equal(play([{ is: 'retry' }], refused.state).state.take?.id, 't1', 'until the new take is made');
});

test('a refused file cannot be saved, but another one can be chosen', () => {
  const end = { kind: 'refused', code: 'not_video' } as const;
  const file = take({ byFile: true });
  const { state, effects } = play([...TO_SENDING, { is: 'uploadEnded', take: file, end }]);
  const { retry, save } = state.phase as Problem;
  assert.deepEqual([retry?.label, save], ['chooseAnother', undefined]);
  assert.ok(!kinds(effects).includes('offerSave'));
  const again = play([{ is: 'retry' }], state);
  assert.deepEqual(kinds(again.effects), ['openFileChooser']);
  assert.equal(play([CHOSEN, FOUND], again.state).state.phase.at, 'file');
});

test('a take of which this device has less than was sent ends: it can be saved, and taken again', () => {
  const short = play([...TO_SENDING, { is: 'uploadEnded', take: take({ sent: true }), end: { kind: 'short' } }]);
  const problem = short.state.phase as Problem;
  assert.deepEqual([problem.title, problem.text], ['incompleteTitle', ['shortText']]);
  assert.equal(problem.save?.id, 't1');
  assert.ok(!kinds(short.effects).includes('discardTake'));
  assert.deepEqual(kinds(play([{ is: 'retry' }], short.state).effects), ['closePreview', 'openCamera']);
});

test('a lost take stays on the device; the next question can still be answered', () => {
  const begun = { ...play(TO_SENDING).state, response: response(QUESTIONS) };
  const lost = take({ questionIndex: 0 });
  const end = { kind: 'gone', code: 'answered' } as const;
  const ended = play([{ is: 'uploadEnded', take: lost, end }], begun);
  assert.ok(!kinds(ended.effects).includes('forgetTake'));
  const next = play([{ is: 'responseLoaded', response: response(QUESTIONS, 1) }], ended.state);
  assert.deepEqual(next.state.phase, {
    at: 'problem',
    title: 'goneTitle',
    text: ['goneAnswered'],
    retry: { label: 'goOn', to: 'welcome' },
    save: lost,
    saveFirst: true,
  });
  assert.equal(next.state.take, undefined);
  assert.equal(play([{ is: 'retry' }], next.state).state.phase.at, 'welcome');
  const alone = play(
    [{ is: 'uploadEnded', take: take(), end: { kind: 'incomplete' } }, { is: 'responseLoaded' }],
    begun,
  );
  assert.equal((alone.state.phase as Problem).title, 'incompleteTitle');
});

test('the page offers the whole of a partially landed take only if this device has it', () => {
  const textOf = (fields: Partial<Take>) => {
    const end = { kind: 'incomplete' } as const;
    const lost = take({ sent: true, size: 1_000, recorded: 1_000, ...fields });
    const { state } = play([...TO_SENDING, { is: 'uploadEnded', take: lost, end }, { is: 'responseLoaded' }]);
    const { title, text, save } = state.phase as Problem;
    assert.equal(title, 'incompleteTitle');
    assert.equal(save, lost, 'the existing part can be saved');
    return text[0];
  };
  assert.equal(textOf({}), 'incompleteText');
  assert.equal(textOf({ size: 400 }), 'incompletePart');
  assert.equal(textOf({ sent: false }), 'incompletePart', 'a full device stored no later state of the take');
});

test('events about another take than the uploading one are ignored', () => {
  const { state } = play(TO_SENDING);
  const progress = { safe: 5, declared: true, finishing: false, trouble: null };
  assert.equal(play([{ is: 'progress', take: take({ id: 'old' }), progress }], state).state, state);
  assert.equal(play([{ is: 'uploadEnded', take: take({ id: 'old' }), end: { kind: 'landed' } }], state).state, state);
  assert.deepEqual(play([{ is: 'progress', take: take(), progress }], state).state.progress, progress);
});

test('an upload that ends during the next recording ends that too', () => {
  const end = { kind: 'gone', code: null } as const;
  const ended = play([...TO_RECORDING, { is: 'uploadEnded', take: take(), end }]);
  assert.ok(kinds(ended.effects).includes('closeCamera'));
  assert.equal(ended.state.phase.at, 'settling');
});

test('a second tab waits for the first', () => {
  const waiting = play([{ is: 'otherTab' }]);
  assert.equal(waiting.state.startup, 'locked');
  assert.deepEqual(waiting.state.welcome.problem, ['otherTab']);
  const alone = play([{ is: 'onlyTab' }], waiting.state);
  assert.equal(alone.state.welcome.problem, undefined);
  assert.deepEqual(kinds(alone.effects), ['findLeftTakes']);
});

const visitAfter = (takes: ReturnType<typeof take>[], answer: ReturnType<typeof response> | undefined) =>
  play([
    { is: 'onlyTab' },
    { is: 'leftTakes', takes, responseSessionId: 'r1' },
    { is: 'serverUnreachable' },
    { is: 'responseLoaded', response: answer, left: takes },
  ]);

test('a later visit continues the previous one', () => {
  const kept = visitAfter([take()], response());
  assert.equal(kept.state.phase.at, 'review');
  assert.deepEqual((kept.state.phase as { notice?: unknown }).notice, ['keptTake']);
  assert.equal(kept.state.welcome.problem, undefined, 'the server answers again');
  const part = visitAfter([take({ recorded: 4_000 })], response());
  assert.ok(part.state.phase.at === 'review' && !part.state.phase.notice, 'a part is not presented as the whole take');
  const sent = visitAfter([take({ sent: true })], response());
  assert.equal(sent.state.phase.at, 'sending');
  assert.deepEqual(kinds(sent.effects), ['startUpload', 'keepAwake', 'watchSending']);
  const between = visitAfter([], response(QUESTIONS, 1));
  assert.equal(between.state.phase.at, 'welcome');
  assert.deepEqual(between.state.welcome.hint?.[0], 'earlierAnswers');
  assert.deepEqual(visitAfter([], response([], 1)).state.phase, { at: 'done', text: ['alreadyDone'], dialog: false });
  assert.equal(visitAfter([], undefined).state.startup, 'ready');
});

test('a later visit deletes complete landed takes, and offers to save the others', () => {
  const answered = (fields: Partial<UploadState>) => {
    const answer = response([], 1);
    answer.answers[0]!.uploads = [upload(fields)];
    return answer;
  };
  const whole = visitAfter([take({ sent: true })], answered({}));
  assert.ok(kinds(whole.effects).includes('forgetTake'));
  assert.equal(whole.state.phase.at, 'done');
  const part = visitAfter([take({ sent: true })], answered({ incomplete: true }));
  assert.deepEqual(kinds(part.effects), ['loadResponse']);
  assert.ok(part.state.phase.at === 'settling' && part.state.phase.lost?.loss === 'incomplete');
  const other = visitAfter([take()], answered({ uploadId: 'another' }));
  assert.ok(other.state.phase.at === 'settling' && other.state.phase.lost?.loss === 'answered');
});

test('a contributor who turns on the camera before the response is known stays there, at the due question', () => {
  const visit = { ...VISIT, questions: QUESTIONS, answered: [0] };
  const { state } = play(
    [
      { is: 'onlyTab' },
      { is: 'leftTakes', takes: [], responseSessionId: 'r1' },
      { is: 'start', termsAccepted: false },
      { is: 'cameraOpened', devices: { cameras: [], microphones: [] } },
      { is: 'responseLoaded', response: response(QUESTIONS, 1), left: [] },
    ],
    initialState(visit),
  );
  assert.ok(state.phase.at === 'capture');
  assert.deepEqual(state.phase.question, { number: 2, count: 2, text: 'What?' });
  assert.equal(state.response?.responseSessionId, 'r1');
});

test('takes from an earlier visit do not disturb a new one', () => {
  const begun = play(TO_RECORDING).state;
  const { state, effects } = play([{ is: 'responseLoaded', response: response(), left: [take({ id: 'old' })] }], begun);
  assert.equal(state.phase, begun.phase);
  assert.equal(state.take?.id, 't1');
  assert.deepEqual(effects, []);
});

test('the screen for another device has a copyable link and a way back', () => {
  const there = play([{ is: 'goElsewhere' }, { is: 'copyLink' }]);
  assert.deepEqual(kinds(there.effects), ['copyLink']);
  const next = play([{ is: 'linkCopied', copied: false }], there.state);
  assert.deepEqual(next.state.phase, { at: 'elsewhere', copied: false });
  assert.equal(play([{ is: 'backFromElsewhere' }], next.state).state.phase.at, 'welcome');
  assert.deepEqual(kinds(play([{ is: 'fileElsewhere', termsAccepted: false }], next.state).effects), [
    'openFileChooser',
  ]);
});

test('a reducer does not change its arguments', () => {
  const deepFreeze = <T>(value: T): T => {
    if (value && typeof value === 'object') for (const each of Object.values(Object.freeze(value))) deepFreeze(each);
    return value;
  };
  let state = deepFreeze(initialState(VISIT));
  for (const event of [...TO_SENDING, landed, { is: 'responseLoaded', response: response([], 1) } as const])
    state = deepFreeze(play([deepFreeze(event)], state).state);
  assert.equal(state.phase.at, 'done');
});

test('the page says that nothing is sent yet only some seconds after Send, and not after the server knows', () => {
  const progress = { safe: 500, declared: true, finishing: false, trouble: null };
  const slow: Event = { is: 'sendIsSlow', id: 't1' };
  const late = play([...TO_SENDING, slow]);
  assert.deepEqual(late.state.phase, { at: 'sending', slow: true });
  assert.deepEqual(late.effects, [{ do: 'announce', texts: [['notSentYet'], ['connecting']] }]);
  assert.deepEqual(play([...TO_SENDING, { is: 'progress', take: take({ sent: true }), progress }, slow]).effects, []);
  assert.deepEqual(play([...TO_SENDING, { ...slow, id: 'the one before' }]).state.phase, { at: 'sending' });
  assert.equal(play([...TO_SENDING, landed, slow]).state.phase.at, 'settling');
});

test('the page shows the remaining upload time if it is long enough and the upload runs', () => {
  const { state } = play(TO_SENDING);
  const left = (fields: object) =>
    uploadSecondsOf({
      ...state,
      take: take({ size: 1_000_000 }),
      progress: { safe: 0, declared: true, finishing: false, trouble: null, pace: 50_000, ...fields },
    });
  assert.equal(left({}), 20);
  assert.equal(left({ safe: 150_000 }), 20, 'in steps of five');
  assert.equal(left({ safe: 800_000 }), undefined);
  assert.equal(left({ trouble: 'network' }), undefined);
  assert.equal(left({ pace: undefined }), undefined);
});

test('the safe share refers to the whole take, even if the device has only a part', () => {
  const { state } = play(TO_SENDING);
  const progress = { safe: 1_000, declared: false, finishing: false, trouble: null };
  const share = (recorded: number) => shareOf({ ...state, take: take({ size: 1_000, recorded }), progress });
  assert.deepEqual([share(0), share(1_000), share(4_000)], [100, 100, 25]);
});

test('a note is stored with the take while it is typed, and moves to the next take', () => {
  const typed = play([...TO_REVIEW, { is: 'noteChanged', note: 'From my desk' }]);
  assert.deepEqual(typed.effects, [{ do: 'keepNote', id: 't1', note: 'From my desk' }]);
  const chosen = play(
    [{ is: 'again' }, { is: 'back' }, { is: 'back' }, CHOSEN, FOUND, { is: 'claimed', response: response() }],
    typed.state,
  );
  const [make] = chosen.effects;
  assert.equal(make?.do === 'makeTake' && make.note, 'From my desk');
});

const SHARED = { ...VISIT, shared: true };

test('a shared link takes another response while it has uses left, and requires the terms again', () => {
  const sending = { ...play(TO_SENDING).state, visit: SHARED, termsAccepted: true };
  const done = play([landed, { is: 'responseLoaded', response: response([], 1) }], sending);
  assert.deepEqual(kinds(done.effects), ['askForUses', 'announce']);
  assert.deepEqual(play([{ is: 'usesKnown', left: false }, { is: 'another' }], done.state).state, done.state);
  const more = play([{ is: 'usesKnown', left: true }], done.state);
  assert.deepEqual(more.state.phase, { at: 'done', text: ['doneText'], dialog: false, another: true });
  const another = play([{ is: 'another' }], more.state);
  assert.deepEqual(kinds(another.effects), ['forgetResponse', 'focus']);
  assert.equal(another.state.phase.at, 'welcome');
  assert.equal(another.state.response, undefined);
  assert.equal(another.state.termsAccepted, false);
  assert.equal(another.state.startup, 'ready');
});

test("the owner's dialog leaves another response possible", () => {
  const sending = { ...play(TO_SENDING).state, visit: { ...SHARED, successDialog: true } };
  const done = play(
    [landed, { is: 'responseLoaded', response: response([], 1) }, { is: 'usesKnown', left: true }],
    sending,
  );
  const closed = play([{ is: 'dialogClosed' }], done.state);
  assert.deepEqual(closed.state.phase, { at: 'done', text: ['doneText'], dialog: false, another: true });
});

test('a later visit to a shared link offers another response, and continues an open one', () => {
  const later = (takes: ReturnType<typeof take>[], answer: ReturnType<typeof response>) => {
    const requested = play(
      [{ is: 'onlyTab' }, { is: 'leftTakes', takes, responseSessionId: 'r2' }],
      initialState(SHARED),
    );
    const [load] = requested.effects;
    assert.ok(load?.do === 'loadResponse');
    return { load, ...play([{ is: 'responseLoaded', response: answer, left: load.left }], requested.state) };
  };
  const whole = later([], { ...response([], 1), responseSessionId: 'r2' });
  assert.ok(whole.state.phase.at === 'done' && whole.state.phase.another);
  const lost = take({ id: 'lost', sent: true });
  const open = take({ id: 'open', responseSessionId: 'r2' });
  const goesOn = later([lost, open], { ...response(), responseSessionId: 'r2' });
  assert.equal(goesOn.load.id, 'r2');
  assert.equal(goesOn.state.take?.id, 'open');
  assert.ok(!kinds(goesOn.effects).includes('forgetTake'), 'the takes of the previous response stay on the device');
  const left = later([lost], response([], 1));
  assert.equal(left.load.id, 'r1', 'the remaining take of the previous response can be saved');
  const played = play(
    [
      { is: 'responseLoaded', response: response([], 1) },
      { is: 'usesKnown', left: true },
    ],
    left.state,
  );
  assert.deepEqual((played.state.phase as Problem).retry, { label: 'another', to: 'another' });
});
