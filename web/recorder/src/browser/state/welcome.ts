import type { CameraProblem, On, Step } from './events.ts';
import { fileRefusal } from './file.ts';
import { backToReview } from './look.ts';
import { beginProblem } from './refusals.ts';
import {
  choiceOf,
  hintOf,
  keptTake,
  limitOf,
  type Message,
  modesOf,
  records,
  type Screen,
  type State,
  screenOf,
} from './state.ts';
import { announce, first, show, step, toProblem } from './step.ts';

// The first screen. Most paths begin here, and many return here.

export function toWelcome(state: State): Step {
  return show({ ...state, welcome: { ...state.welcome, hint: hintOf(state) } }, { at: 'welcome' });
}

export function toWelcomeWith(state: State, problem: Message): Step {
  const { state: next } = toWelcome(state);
  return step({ ...next, welcome: { ...next.welcome, problem, ofFile: false } }, { do: 'focus', on: 'start' });
}

/** Refuses the chosen file; an earlier take stays. */
export function toWelcomeWithFile(state: State, problem: Message): Step {
  const { state: next } = toWelcome(state);
  return step({ ...next, welcome: { ...next.welcome, problem, ofFile: true } }, { do: 'focus', on: 'chooseFile' });
}

/** Opens the camera for a take. The current screen stays until the camera is on. */
export const openCapture = (state: State, over: Screen): Step =>
  show(state, { at: 'opening', over }, { do: 'openCamera', choice: choiceOf(state) });

/** Opens the camera again. If takes are files, shows the first screen instead. */
export const nextTake = (state: State, over: Screen): Step =>
  state.byFile || !records(state) ? toWelcome(state) : openCapture(state, over);

export function withoutCamera(state: State, problem: CameraProblem): Step {
  const text: Message = [problem === 'denied' ? `denied${state.visit.platform}` : problem];
  const kept = keptTake(state);
  if (kept) return backToReview(state, kept, text);
  if (problem === 'noCamera') {
    const reason: Message | undefined = state.visit.inHand ? undefined : ['noCamera'];
    return show(state, { at: 'elsewhere', reason }, { do: 'closeCamera' });
  }
  return first([{ do: 'closeCamera' }], toWelcomeWith({ ...state, offerElsewhere: true }, text));
}

/** Shows that the answer exists already, from this device or another. */
export function toAlreadyDone(state: State, text: Message = ['alreadyDone']): Step {
  const another = state.visit.shared && state.visit.active ? ({ another: true } as const) : {};
  return show(state, { at: 'done', text, dialog: false, ...another }, announce(['doneTitle'], text));
}

/** Continues with `go`, unless the contributor must still accept the terms. */
function withTerms(state: State, termsAccepted: boolean, go: (state: State) => Step): Step {
  const accepted = state.response !== undefined || !state.visit.requireTerms || termsAccepted;
  const problem: Message | undefined = accepted ? undefined : ['termsMissing'];
  const next = { ...state, termsAccepted, welcome: { ...state.welcome, problem, ofFile: false } };
  return accepted ? go(next) : step(next, { do: 'focus', on: 'terms' });
}

const openChooser =
  (capture: boolean) =>
  (state: State): Step =>
    step(state, { do: 'openFileChooser', capture });

export const welcome: On<
  | 'start'
  | 'chooseFile'
  | 'termsChanged'
  | 'fileChosen'
  | 'fileLookedAt'
  | 'goElsewhere'
  | 'backFromElsewhere'
  | 'fileElsewhere'
  | 'copyLink'
  | 'linkCopied'
  | 'claimRefused'
> = {
  start(state, { termsAccepted, audio = false }) {
    if (state.phase.at !== 'welcome') return step(state);
    if (!records(state))
      return modesOf(state).includes('file') ? withTerms(state, termsAccepted, openChooser(true)) : step(state);
    const { audio: _, ...devices } = state.choice;
    const choice = audio ? { ...devices, audio } : devices;
    return withTerms(state, termsAccepted, next => openCapture({ ...next, choice, byFile: false }, 'welcome'));
  },
  chooseFile(state, { termsAccepted }) {
    return state.phase.at === 'welcome' ? withTerms(state, termsAccepted, openChooser(false)) : step(state);
  },
  termsChanged: state => step({ ...state, welcome: { ...state.welcome, problem: undefined } }),
  fileChosen(state, { name, type }) {
    const { at } = state.phase;
    if (at !== 'welcome' && at !== 'review' && at !== 'problem') return step(state);
    const over = screenOf(state.phase);
    return show(state, { at: 'file', step: 'looking', over, name, type }, { do: 'lookAtFile' });
  },
  fileLookedAt(state, { look }) {
    const { phase, termsAccepted } = state;
    if (phase.at !== 'file' || phase.step !== 'looking') return step(state);
    const refusal = fileRefusal(look, phase.name, limitOf(state));
    const next = refusal
      ? toWelcomeWithFile(state, refusal)
      : show(state, { ...phase, step: 'claiming' }, { do: 'claim', termsAccepted });
    return phase.over === 'review' ? first([{ do: 'closePreview' }], next) : next;
  },
  goElsewhere: state => show(state, { at: 'elsewhere' }),
  backFromElsewhere: toWelcome,
  fileElsewhere: (state, { termsAccepted }) =>
    withTerms(toWelcome(state).state, termsAccepted, openChooser(state.visit.inHand)),
  copyLink: state => step(state, { do: 'copyLink' }),
  linkCopied: (state, { copied }) =>
    state.phase.at === 'elsewhere' ? show(state, { ...state.phase, copied }) : step(state),
  claimRefused(state, { status }) {
    if (state.phase.at !== 'capture' && state.phase.at !== 'file') return step(state);
    const problem = toProblem(state, { title: 'cannotBegin', ...beginProblem(status), save: state.take });
    return first([{ do: 'closeCamera' }], problem);
  },
};
