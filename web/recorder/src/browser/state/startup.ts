import type { Event, On, Step } from './events.ts';
import { isSafeToForget, lossOf } from './left-takes.ts';
import { toReview } from './look.ts';
import { dueAnswer, isPart, type Message, type State } from './state.ts';
import { first, show, step } from './step.ts';
import type { Take } from './take.ts';
import { settle, settleLoss } from './upload.ts';
import { toAlreadyDone, toWelcome } from './welcome.ts';

// The start of a visit. The page waits until it is the only tab, and continues an earlier visit.

const withProblem = (state: State, problem?: Message): State => ({ ...state, welcome: { ...state.welcome, problem } });

/** Returns whether the contributor has already begun a take. Then earlier takes wait for the next visit. */
function isBusy({ phase, take }: State): boolean {
  if (take || phase.at === 'file') return true;
  return phase.at === 'capture' && !['ready', 'checking', 'held'].includes(phase.mode.is);
}

function resumeTake(state: State, take: Take): Step {
  const next: State = { ...state, take, progress: undefined };
  const upload = { do: 'startUpload', id: take.id } as const;
  // The review marks a partial take itself, so it gets no notice here.
  if (!take.sent) return first([upload], toReview(next, take, isPart(take) ? undefined : ['keptTake']));
  return show(next, { at: 'sending' }, upload, { do: 'keepAwake', on: true }, { do: 'watchSending', id: take.id });
}

function goOn(state: State, left: readonly Take[]): Step {
  const { response } = state;
  const due = dueAnswer(state);
  const open = due && left.find(take => take.questionIndex === due.questionIndex);
  const others = left.filter(take => take !== open);
  const safe = others.filter(take => isSafeToForget(take, response));
  const lost = others.find(take => !safe.includes(take));
  const forget = safe.map(({ id }) => ({ do: 'forgetTake', id }) as const);
  const next = open ? resumeTake(state, open) : lost ? settleLoss(state, lost, lossOf(lost, response)) : known(state);
  const camera = next.state.phase !== state.phase && (state.phase.at === 'capture' || state.phase.at === 'opening');
  return first(camera ? [...forget, { do: 'closeCamera' }] : forget, next);
}

/** Handles a device without earlier takes. A contributor who has already turned on the camera stays at the camera. */
function known(state: State): Step {
  if (state.response?.complete) return toAlreadyDone(state);
  const { at } = state.phase;
  return state.response && (at === 'welcome' || at === 'refused') ? toWelcome(state) : step(state);
}

function responseLoaded(state: State, event: Event & { is: 'responseLoaded' }): Step {
  if (!event.left) return settle(state, event);
  const next = withProblem({ ...state, startup: 'ready', response: event.response ?? state.response });
  return isBusy(state) ? step(next) : goOn(next, event.left);
}

export const startup: On<'otherTab' | 'onlyTab' | 'leftTakes' | 'serverUnreachable' | 'responseLoaded'> = {
  otherTab: state => step(withProblem({ ...state, startup: 'locked' }, ['otherTab'])),
  onlyTab: state => step(withProblem({ ...state, startup: 'starting' }), { do: 'findLeftTakes' }),
  leftTakes(state, { takes, responseSessionId }) {
    // Uses only the takes of the current response. This device may have other responses of a shared link; their takes
    // stay on the device.
    const goesOn = takes.some(take => take.responseSessionId === responseSessionId);
    const id = goesOn ? responseSessionId : (takes[0]?.responseSessionId ?? responseSessionId);
    if (!id) return step({ ...state, startup: 'ready' });
    return step(state, { do: 'loadResponse', id, left: takes.filter(take => take.responseSessionId === id) });
  },
  serverUnreachable: state => step(state.startup === 'starting' ? withProblem(state, ['noConnection']) : state),
  responseLoaded,
};
