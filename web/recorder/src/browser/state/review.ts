import type { On, Step } from './events.ts';
import { toReview } from './look.ts';
import { type State, screenOf } from './state.ts';
import { first, show, step } from './step.ts';
import type { Take } from './take.ts';
import { nextTake, toWelcomeWithFile } from './welcome.ts';

// The review of a take before Send.

/** Replaces the shown take. Another recording replaces a recording, and another file replaces a file. */
export const takeAgain = (state: State): Step =>
  state.take?.byFile
    ? step(state, { do: 'openFileChooser', capture: false })
    : first([{ do: 'closePreview' }], nextTake(state, screenOf(state.phase)));

/** The chosen file cannot be read, so the contributor can choose it again, or another file. */
export const chooseAgain = (state: State, take: Take): Step =>
  first(
    [{ do: 'discardTake', take }],
    toWelcomeWithFile({ ...state, take: undefined, progress: undefined }, ['fileUnreadable']),
  );

/**
 * Returns whether the page is still reading this file. If another device was faster, the reading may end after the
 * contributor has left this step.
 */
const isBeingRead = ({ phase, take }: State, { id }: Take): boolean => phase.at === 'file' && take?.id === id;

export const review: On<'fileStored' | 'fileUnreadable' | 'previewFailed' | 'noteChanged' | 'send' | 'again'> = {
  fileStored: (state, { take }) => (isBeingRead(state, take) ? toReview({ ...state, take }, take) : step(state)),
  fileUnreadable: (state, { take }) => (isBeingRead(state, take) ? chooseAgain(state, take) : step(state)),
  previewFailed: state =>
    state.phase.at === 'review' ? show(state, { ...state.phase, noPreview: true }) : step(state),
  noteChanged(state, { note }) {
    const { phase, take } = state;
    if (phase.at !== 'review' || !take) return step(state);
    return step({ ...state, take: { ...take, note } }, { do: 'keepNote', id: take.id, note });
  },
  send(state, { note }) {
    const { phase, take } = state;
    if (phase.at !== 'review' || !take) return step(state);
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
