import type { Step } from './events.ts';
import { type Message, questionsOf, type State } from './state.ts';
import { announce, first, show } from './step.ts';
import type { Take } from './take.ts';

// The transitions to the review screen.

/** Returns the warning about a silent or black take. With a warning, sending is the second choice. */
export function warningOf({ heard, seen, signed }: Take): Message | undefined {
  if (!heard && !signed) return ['takeSilent'];
  return seen ? undefined : ['takeBlack'];
}

export function toReview(state: State, take: Take, notice?: Message): Step {
  const question = questionsOf(state)[take.questionIndex ?? -1] ?? '';
  const texts = [notice, warningOf(take), ['notSent'] as const].filter(text => text !== undefined);
  return show(state, { at: 'review', notice, question }, { do: 'openPreview', take }, announce(...texts));
}

/** Returns to the existing take from the camera, or while the camera opens. */
export const backToReview = (state: State, take: Take, notice?: Message): Step =>
  first([{ do: 'closeCamera' }], toReview(state, take, notice));
