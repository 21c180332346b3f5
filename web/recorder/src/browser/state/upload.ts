import type { End, Event, On, Step } from './events.ts';
import { isWhole } from './left-takes.ts';
import { refusedText } from './refusals.ts';
import { chooseAgain, takeAgain } from './review.ts';
import {
  dueAnswer,
  initialState,
  type Loss,
  limitOf,
  type Message,
  type Phase,
  type Problem,
  questionOf,
  questionsOf,
  type Screen,
  type State,
  screenOf,
} from './state.ts';
import { announce, first, show, step, toProblem } from './step.ts';
import type { Take } from './take.ts';
import { nextTake, toWelcome } from './welcome.ts';

// The progress of an upload, and the steps after it.

const LOSSES: Record<Loss | 'part', { title: string; text: Message }> = {
  incomplete: { title: 'incompleteTitle', text: ['incompleteText'] },
  part: { title: 'incompleteTitle', text: ['incompletePart'] },
  answered: { title: 'goneTitle', text: ['goneAnswered'] },
  gone: { title: 'goneTitle', text: ['goneText'] },
};

const settling = (state: State, lost?: { take: Take; loss: Loss }): Phase => ({
  at: 'settling',
  over: screenOf(state.phase),
  lost,
});

/** Loads the next question. The take is lost for the server, but stays on the device and can be saved. */
export const settleLoss = (state: State, take: Take, loss: Loss): Step =>
  show(state, settling(state, { take, loss }), { do: 'loadResponse', id: take.responseSessionId });

/**
 * Shows that a take cannot be sent and can be replaced. A recording can be saved. A file needs no saving, because it is
 * on the device.
 */
function toReplace(state: State, take: Take, why: Pick<Problem, 'title' | 'text'>): Step {
  const label = take.byFile ? 'chooseAnother' : 'tryAgain';
  const save = take.byFile ? undefined : take;
  return toProblem({ ...state, refused: true }, { ...why, retry: { label, to: 'again' }, save });
}

function afterUpload(state: State, take: Take, end: End): Step {
  if (end.kind === 'landed')
    return show(state, settling(state), { do: 'loadResponse', id: take.responseSessionId, forget: take.id });
  if (end.kind === 'refused')
    return toReplace(state, take, { title: 'refusedTitle', text: refusedText(end.code, limitOf(state)) });
  if (end.kind === 'unreadable') return chooseAgain(state, take);
  if (end.kind === 'short') return toReplace(state, take, { title: 'incompleteTitle', text: ['shortText'] });
  return settleLoss(
    state,
    take,
    end.kind === 'incomplete' ? 'incomplete' : end.code === 'answered' ? 'answered' : 'gone',
  );
}

function afterLoss(state: State, { take, loss }: { take: Take; loss: Loss }): Step {
  const due = dueAnswer(state);
  const more = due !== undefined && questionsOf(state).length > 0 && due.questionIndex !== take.questionIndex;
  const retry: Problem['retry'] = more ? { label: 'goOn', to: 'welcome' } : undefined;
  // Offers the whole take only if this device certainly has it.
  const what = loss === 'incomplete' && !isWhole(take) ? 'part' : loss;
  const problem = toProblem(state, { ...LOSSES[what], retry, save: take, saveFirst: true });
  return retry ? problem : first(askForUses(state), problem);
}

/** On a shared link, checks whether the link takes another response. */
const askForUses = ({ visit }: State): Step['effects'] => (visit.shared ? [{ do: 'askForUses' }] : []);

function showArrival(state: State, dialog: boolean): Step {
  const another = state.phase.at === 'done' && state.phase.another ? ({ another: true } as const) : {};
  return show(state, { at: 'done', text: ['doneText'], dialog, ...another }, announce(['doneTitle'], ['doneText']));
}

/** Shows the screen after the last take, with a dialog if the owner wants one. */
const finish = (state: State): Step =>
  state.response && questionsOf(state).length > 0
    ? step(state, { do: 'goToThankYou', id: state.response.responseSessionId })
    : showArrival(state, false);

/** Shows the tick of an answer before its next question. */
function toArrival(state: State, over: Screen, answered: number): Step {
  const next = questionOf(state);
  if (!next) return nextTake(state, over);
  return show(
    state,
    { at: 'arrived', answered, next },
    { do: 'holdArrival' },
    announce(['answerArrived', { number: answered }], ['nextUp', { ...next }]),
  );
}

function afterLanding(state: State, over: Screen, number: number): Step {
  if (state.response?.complete === false) return toArrival(state, over, number);
  if (!state.visit.successDialog)
    return questionsOf(state).length > 0 ? finish(state) : first(askForUses(state), finish(state));
  const done = showArrival(state, true);
  return step(done.state, ...askForUses(state), ...done.effects, { do: 'openDialog' });
}

/** Starts another response on the same link, as for another person: the page asks for everything again. */
function beginAnother({ visit, startup, choice, offerElsewhere, online }: State): Step {
  const fresh = { ...initialState(visit), startup, choice, offerElsewhere, online };
  return first([{ do: 'forgetResponse' }], show(fresh, { at: 'welcome' }, { do: 'focus', on: 'start' }));
}

/** Returns the step after an upload and the request for its response; the response is undefined when no answer came. */
export function settle(before: State, response: Event & { is: 'responseLoaded' }): Step {
  const { phase } = before;
  if (phase.at !== 'settling') return step(before);
  const state: State = {
    ...before,
    response: response.response ?? before.response,
    take: undefined,
    progress: undefined,
  };
  if (phase.lost) return afterLoss(state, phase.lost);
  return afterLanding(state, phase.over, (before.take?.questionIndex ?? 0) + 1);
}

export const upload: On<
  'progress' | 'sendIsSlow' | 'uploadEnded' | 'arrivalShown' | 'dialogClosed' | 'retry' | 'usesKnown' | 'another'
> = {
  progress: (state, { take, progress }) =>
    take.id === state.take?.id ? step({ ...state, take, progress }) : step(state),
  sendIsSlow(state, { id }) {
    if (state.phase.at !== 'sending' || state.take?.id !== id) return step(state);
    const { declared, trouble } = state.progress ?? {};
    const why = trouble === 'busy' ? 'busy' : trouble ? 'offline' : 'connecting';
    const warning = declared ? [] : [announce(['notSentYet'], [why])];
    return show(state, { at: 'sending', slow: true }, ...warning);
  },
  uploadEnded(state, { take, end }) {
    if (take.id !== state.take?.id) return step(state);
    return first(
      [{ do: 'keepAwake', on: false }, { do: 'closePreview' }, { do: 'closeCamera' }],
      afterUpload({ ...state, take }, take, end),
    );
  },
  arrivalShown: state => (state.phase.at === 'arrived' ? nextTake(state, 'done') : step(state)),
  dialogClosed: state => (state.phase.at === 'done' ? finish(state) : step(state)),
  retry(state) {
    const to = state.phase.at === 'problem' ? state.phase.retry?.to : undefined;
    if (to === 'again') return takeAgain(state);
    if (to === 'reload') return step(state, { do: 'reload' });
    if (to === 'another') return beginAnother(state);
    return to ? toWelcome(state) : step(state);
  },
  usesKnown(state, { left }) {
    const { phase } = state;
    if (!left) return step(state);
    if (phase.at === 'done') return show(state, { ...phase, another: true });
    if (phase.at !== 'problem' || phase.retry) return step(state);
    return show(state, { ...phase, retry: { label: 'another', to: 'another' } });
  },
  another: state => (state.phase.at === 'done' && state.phase.another ? beginAnother(state) : step(state)),
};
