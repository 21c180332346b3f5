import type { On, Step } from './events.ts';
import { limitOf, type Message, questionsOf, type State, screenOf } from './state.ts';
import { announce, first, show, step } from './step.ts';
import type { Take } from './take.ts';
import { nextTake } from './welcome.ts';

// A take that was not sent is looked at.

/** What is wrong with a take that is silent or black: sending it is then the second choice. */
export function warningOf({ heard, seen }: Take): Message | undefined {
  if (!heard) return ['takeSilent'];
  return seen ? undefined : ['takeBlack'];
}

export function toReview(state: State, take: Take, notice?: Message): Step {
  const question = questionsOf(state)[take.questionIndex ?? -1] ?? '';
  const texts = [notice, warningOf(take), ['notSent'] as const].filter(text => text !== undefined);
  return show(
    state,
    { at: 'review', notice, question },
    { do: 'openPreview', take, limit: limitOf(state) },
    announce(...texts),
  );
}

/** Another take in the place of the one that is shown. */
export const takeAgain = (state: State): Step =>
  first([{ do: 'closePreview' }], nextTake(state, screenOf(state.phase)));

export const review: On<'fileStored' | 'previewFailed' | 'previewTooLong' | 'send' | 'again'> = {
  fileStored(state, { take }) {
    // What became of it may be known already: another device was faster.
    if (state.phase.at !== 'file' || state.take?.id !== take.id) return step(state);
    return toReview({ ...state, take }, take);
  },
  previewFailed: state =>
    state.phase.at === 'review' ? show(state, { ...state.phase, noPreview: true }) : step(state),
  previewTooLong: (state, { seconds }) =>
    state.phase.at === 'review' ? show(state, { ...state.phase, tooLong: seconds }) : step(state),
  send(state, { note }) {
    const { phase, take } = state;
    if (phase.at !== 'review' || !take || phase.tooLong !== undefined) return step(state);
    return show(
      { ...state, take: { ...take, sent: true, note } },
      { at: 'sending' },
      { do: 'closePreview' },
      { do: 'keepAwake', on: true },
      { do: 'sendTake', id: take.id, note },
    );
  },
  again: state => (state.phase.at === 'review' ? takeAgain(state) : step(state)),
};
