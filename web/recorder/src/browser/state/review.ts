import type { On, Step } from './events.ts';
import { toReview } from './look.ts';
import { type State, screenOf } from './state.ts';
import { first, show, step } from './step.ts';
import { nextTake } from './welcome.ts';

// A take that was not sent is looked at.

/** Another take in the place of the one that is shown. */
export const takeAgain = (state: State): Step =>
  first([{ do: 'closePreview' }], nextTake(state, screenOf(state.phase)));

export const review: On<'fileStored' | 'previewFailed' | 'previewTooLong' | 'noteChanged' | 'send' | 'again'> = {
  fileStored(state, { take }) {
    // What became of it may be known already: another device was faster.
    if (state.phase.at !== 'file' || state.take?.id !== take.id) return step(state);
    return toReview({ ...state, take }, take);
  },
  previewFailed: state =>
    state.phase.at === 'review' ? show(state, { ...state.phase, noPreview: true }) : step(state),
  previewTooLong: (state, { seconds }) =>
    state.phase.at === 'review' ? show(state, { ...state.phase, tooLong: seconds }) : step(state),
  noteChanged(state, { note }) {
    const { phase, take } = state;
    if (phase.at !== 'review' || !take) return step(state);
    return step({ ...state, take: { ...take, note } }, { do: 'keepNote', id: take.id, note });
  },
  send(state, { note }) {
    const { phase, take } = state;
    if (phase.at !== 'review' || !take || phase.tooLong !== undefined) return step(state);
    return show(
      { ...state, take: { ...take, sent: true, note } },
      { at: 'sending' },
      { do: 'closePreview' },
      { do: 'keepAwake', on: true },
      { do: 'sendTake', id: take.id, note },
      { do: 'watchSending', id: take.id },
    );
  },
  again: state => (state.phase.at === 'review' ? takeAgain(state) : step(state)),
};
