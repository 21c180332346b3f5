import { clock } from '@recording-request/web-shared/clock';
import type { Event, On, Step } from './events.ts';
import { toReview } from './look.ts';
import {
  type Capture,
  choiceOf,
  dueAnswer,
  type Message,
  type Mode,
  offlineText,
  type Question,
  questionOf,
  type Reading,
  type State,
} from './state.ts';
import { announce, first, show, step } from './step.ts';
import { toAlreadyDone, toWelcomeWith } from './welcome.ts';

// The camera's screen: ready → checking → (held) → claiming → countdown → starting → recording ⇄ paused.

const CHECK_MS = 1_200;
const CHECK_LIMIT_MS = 4_000;
const COUNT_FROM = 3;
const WARN_AT_SECONDS = [60, 30, 10];

type Recording = Extract<Mode, { is: 'recording' | 'paused' }>;

const isGood = ({ signs }: State, reading: Reading | undefined): boolean =>
  reading !== undefined && (reading.heard || signs) && reading.seen;

/** Handles a button of this screen if the screen has one of these modes and the camera is on. */
function press(state: State, modes: Mode['is'][], act: (phase: Capture) => Step): Step {
  const { phase } = state;
  return phase.at === 'capture' && phase.devices && modes.includes(phase.mode.is) ? act(phase) : step(state);
}

const toMode = (state: State, phase: Capture, mode: Mode, ...effects: Step['effects']): Step =>
  show(state, { ...phase, mode }, ...effects);

/** Claims the use of the link, because the recording starts with the claim. */
function claim(state: State, phase: Capture): Step {
  const { mode } = phase;
  const over: Mode =
    mode.is === 'held' ? { is: 'claiming', over: 'held', why: mode.why } : { is: 'claiming', over: 'ready' };
  return toMode(state, phase, over, { do: 'claim', termsAccepted: state.termsAccepted });
}

/** Waits until picture and sound arrive, or until the time limit. */
function check(state: State, phase: Capture, since: number, now: number): Step {
  const { reading } = phase;
  if (isGood(state, reading)) return claim(state, phase);
  const looked = (reading?.watchedMs ?? 0) > CHECK_MS && now - since > CHECK_MS;
  if (!reading || (!looked && now - since < CHECK_LIMIT_MS)) return toMode(state, phase, { is: 'checking', since });
  const why = reading.seen ? 'silent' : 'black';
  return toMode(state, phase, { is: 'held', why }, announce([why]));
}

function countDown(state: State, phase: Capture, mode: Extract<Mode, { is: 'countdown' }>, now: number): Step {
  const { limit, since = now } = mode;
  const seconds = COUNT_FROM - Math.floor((now - since) / 1_000);
  if (seconds > 0) return toMode(state, phase, { is: 'countdown', limit, seconds, since });
  const next: State = { ...state, take: undefined, refused: false, progress: undefined };
  return toMode(next, { ...phase, notice: undefined }, { is: 'starting', limit }, makeTake(state));
}

const makeTake = (state: State, type?: string): Step['effects'][number] => ({
  answerMode: type !== undefined ? 'file' : choiceOf(state).audio ? 'audio' : 'video',
  signed: type === undefined && state.signs,
  do: 'makeTake',
  before: state.take,
  responseSessionId: state.response?.responseSessionId ?? '',
  questionIndex: dueAnswer(state)?.questionIndex ?? null,
  type,
  note: state.take?.note ?? '',
});

function record(state: State, phase: Capture, mode: Recording, elapsed: number): Step {
  const left = Math.ceil(mode.limit - elapsed);
  const due = WARN_AT_SECONDS.filter(at => left <= at && mode.limit > at && !mode.warned.includes(at));
  const warned = [...mode.warned, ...due];
  const warnings = due.map(seconds => announce(['secondsLeft', { seconds }]));
  const next: Recording = { ...mode, elapsed, warned };
  if (elapsed < mode.limit) return toMode(state, phase, next, ...warnings);
  next.notice ??= ['limitReached'];
  return toMode(state, phase, next, ...warnings, { do: 'stopRecording' });
}

function tick(state: State, { now, reading, elapsed }: Extract<Event, { is: 'tick' }>): Step {
  if (state.phase.at !== 'capture' || !state.phase.devices) return step(state);
  const phase: Capture = { ...state.phase, reading };
  const { mode } = phase;
  if (mode.is === 'checking') return check(state, phase, mode.since, now);
  if (mode.is === 'countdown') return countDown(state, phase, mode, now);
  if (mode.is === 'recording' || mode.is === 'paused') return record(state, phase, mode, elapsed);
  if (mode.is === 'held' && isGood(state, reading)) return toMode(state, phase, { is: 'ready' }, announce(['heard']));
  return show(state, phase);
}

/** Shows that another device has answered everything and this device has begun nothing. */
const alreadyAnswered = (before: State, state: State): Step =>
  toAlreadyDone(state, before.response || state.visit.shared ? undefined : ['doneElsewhere']);

const isShown = ({ number, text }: Question, { question }: Capture): boolean =>
  question?.number === number && question.text === text;

/**
 * Shows the current question before a recording, because another device has answered or the owner has changed the
 * question.
 */
function askAnother(state: State, phase: Capture, question: Question): Step {
  const notice: Message | undefined =
    question.number > (phase.question?.number ?? 1) ? ['answeredElsewhere'] : undefined;
  const texts = [...(notice ? [notice] : []), ['question', { ...question }] as const, question.text];
  return toMode(state, { ...phase, question, notice }, { is: 'ready' }, announce(...texts));
}

export const capture: On<
  | 'record'
  | 'recordAnyway'
  | 'sign'
  | 'cancelCountdown'
  | 'tick'
  | 'claimed'
  | 'takeMade'
  | 'pause'
  | 'resume'
  | 'stop'
  | 'recordingStopped'
  | 'connection'
> = {
  record: (state, { now }) => press(state, ['ready'], phase => check(state, phase, now, now)),
  recordAnyway: state => press(state, ['held'], phase => claim(state, phase)),
  sign: state => press({ ...state, signs: true }, ['held'], phase => claim({ ...state, signs: true }, phase)),
  cancelCountdown: state => press(state, ['countdown'], phase => toMode(state, phase, { is: 'ready' })),
  tick,
  claimed(before, { response }) {
    const state = { ...before, response };
    const { phase } = state;
    if (phase.at !== 'capture' && phase.at !== 'file') return step(state);
    if (response.complete) return first([{ do: 'closeCamera' }], alreadyAnswered(before, state));
    if (phase.at === 'file') {
      const next: State = { ...state, byFile: true, take: undefined, refused: false, progress: undefined };
      return show(next, { ...phase, step: 'reading' }, makeTake(state, phase.type));
    }
    // The contributor has switched to another camera in the meantime.
    if (phase.mode.is !== 'claiming') return step(state);
    const question = questionOf(state);
    if (question && !isShown(question, phase)) return askAnother(state, phase, question);
    const mode: Mode = { is: 'countdown', limit: response.maxDurationSec, seconds: COUNT_FROM };
    return toMode(state, phase, mode, announce(['starts', { seconds: COUNT_FROM }]));
  },
  takeMade(state, { take }) {
    const { phase } = state;
    const upload = [{ do: 'startUpload', id: take.id }] as const;
    if (phase.at === 'file') return step({ ...state, take }, ...upload, { do: 'storeFile', id: take.id });
    // The camera was lost in the meantime.
    if (phase.at !== 'capture' || phase.mode.is !== 'starting') return step(state, { do: 'discardTake', take });
    const { limit } = phase.mode;
    return toMode(
      { ...state, take },
      phase,
      { is: 'recording', limit, elapsed: 0, warned: [] },
      ...upload,
      { do: 'keepAwake', on: true },
      { do: 'startRecording', id: take.id },
      announce(['recording'], ['left', { time: clock(limit) }]),
    );
  },
  pause: state =>
    press(state, ['recording'], phase =>
      toMode(
        state,
        phase,
        { ...(phase.mode as Recording), is: 'paused' },
        { do: 'pauseRecording' },
        announce(['paused']),
      ),
    ),
  resume: state =>
    press(state, ['paused'], phase =>
      toMode(
        state,
        phase,
        { ...(phase.mode as Recording), is: 'recording' },
        { do: 'resumeRecording' },
        announce(['recording']),
      ),
    ),
  stop: state => step(state, { do: 'stopRecording' }),
  connection(before, { online }) {
    const state = { ...before, online };
    const { phase } = state;
    const recording = phase.at === 'capture' && (phase.mode.is === 'recording' || phase.mode.is === 'paused');
    const text = offlineText(state);
    return recording && text && !offlineText(before) ? step(state, announce(text)) : step(state);
  },
  recordingStopped: (state, { take }) =>
    press(state, ['recording', 'paused'], phase => {
      const ending = [{ do: 'keepAwake', on: false }, { do: 'closeCamera' }] as const;
      const { notice } = phase.mode as Recording;
      if (take.size > 0) return first([...ending], toReview({ ...state, take }, take, notice));
      // Discards an empty take: some devices record one while another app uses the camera.
      const next: State = { ...state, take: undefined, progress: undefined };
      return first([...ending, { do: 'discardTake', take }], toWelcomeWith(next, ['nothingRecorded']));
    }),
};
