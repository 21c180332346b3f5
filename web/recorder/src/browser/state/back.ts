import { capture } from './capture.ts';
import type { On, Step } from './events.ts';
import { backToReview } from './look.ts';
import { type Capture, keptTake, type State } from './state.ts';
import { first, show, step } from './step.ts';
import { toWelcome } from './welcome.ts';

// Back on the device or in the browser shows the previous screen and never loses a take.

/** Leaves the camera and turns it off. Shows the review of the existing take, otherwise the first screen. */
function leaveCamera(state: State): Step {
  const kept = keptTake(state);
  return kept ? backToReview(state, kept) : first([{ do: 'closeCamera' }], toWelcome(state));
}

function fromCamera(state: State, phase: Capture): Step {
  switch (phase.mode.is) {
    case 'recording':
      // An accidental gesture only pauses the recording; a second gesture ends it.
      return state.visit.canPause ? capture.pause(state, { is: 'pause' }) : step(state, { do: 'stopRecording' });
    case 'paused':
      return step(state, { do: 'stopRecording' });
    case 'starting':
      return step(state);
    case 'countdown':
      return show(state, { ...phase, mode: { is: 'ready' } });
    default:
      return leaveCamera(state);
  }
}

function oneBack(state: State): Step | undefined {
  const { phase } = state;
  switch (phase.at) {
    case 'opening':
      return leaveCamera(state);
    case 'capture':
      return fromCamera(state, phase);
    case 'review':
      return first([{ do: 'closePreview' }], toWelcome(state));
    case 'elsewhere':
      return toWelcome(state);
    case 'problem':
      return phase.retry?.to === 'welcome' || phase.retry?.to === 'again' ? toWelcome(state) : undefined;
    // Stays on the screen while a step runs.
    case 'file':
    case 'sending':
    case 'settling':
    case 'arrived':
      return step(state);
    default:
      return undefined;
  }
}

/** Returns whether Back stays on the page. Otherwise Back leaves the page. */
export const canGoBack = (state: State): boolean => oneBack(state) !== undefined;

export const back: On<'back' | 'backToTake'> = {
  back: state => oneBack(state) ?? step(state),
  backToTake(state) {
    const kept = keptTake(state);
    const { at } = state.phase;
    return kept && (at === 'capture' || at === 'welcome') ? backToReview(state, kept) : step(state);
  },
};
