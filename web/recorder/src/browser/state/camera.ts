import type { On, Step } from './events.ts';
import { type Capture, type Choice, type Devices, questionOf, type State } from './state.ts';
import { announce, show, step } from './step.ts';
import { withoutCamera } from './welcome.ts';

// The choice of the camera.

const FIRST: Choice = { facing: 'user' };

/** Switches to another camera or microphone. Cancels a running check or countdown, but not a recording. */
function switchTo(state: State, choice: Choice): Step {
  const { phase } = state;
  if (phase.at !== 'capture' || !phase.devices) return step(state);
  if (['starting', 'recording', 'paused'].includes(phase.mode.is)) return step(state);
  const next: Capture = {
    ...phase,
    mode: phase.mode.is === 'held' ? phase.mode : { is: 'ready' },
    devices: undefined,
    // The readings of the previous camera do not apply to this camera.
    reading: undefined,
    before: state.choice,
  };
  return show({ ...state, choice }, next, { do: 'openCamera', choice });
}

/** Returns the camera on the other side, or the next camera when the cameras do not report their side. */
export function turnedAround({ microphone, facing }: Choice, used: Devices): Choice {
  if (used.facing) return { microphone, facing: used.facing === 'environment' ? 'user' : 'environment' };
  const ids = used.cameras.map(({ id }) => id);
  return { microphone, facing, camera: ids[(ids.indexOf(used.camera ?? '') + 1) % ids.length] };
}

export const camera: On<'cameraOpened' | 'cameraFailed' | 'cameraEnded' | 'deviceChosen' | 'flip'> = {
  cameraOpened(state, { devices }) {
    const { phase } = state;
    if (phase.at === 'capture')
      return show(
        state,
        { ...phase, mode: { is: 'ready' }, devices, before: undefined },
        { do: 'focus', on: 'record' },
      );
    if (phase.at !== 'opening') return step(state, { do: 'closeCamera' });
    const question = questionOf(state);
    const asked = question ? [announce(['question', { ...question }], question.text)] : [];
    return show(state, { at: 'capture', mode: { is: 'ready' }, question, devices }, ...asked);
  },
  cameraFailed(state, { problem }) {
    const { phase } = state;
    if (phase.at === 'opening') return withoutCamera(state, problem);
    if (phase.at !== 'capture') return step(state);
    const { before } = phase;
    if (!before) return withoutCamera({ ...state, choice: FIRST }, problem);
    // Returns to the previous camera, which works.
    return show({ ...state, choice: before }, { ...phase, before: undefined }, { do: 'openCamera', choice: before });
  },
  cameraEnded(state) {
    const { phase } = state;
    if (phase.at === 'capture' && (phase.mode.is === 'recording' || phase.mode.is === 'paused')) {
      const mode = { ...phase.mode, notice: phase.mode.notice ?? (['cameraEnded'] as const) };
      return show(state, { ...phase, mode }, { do: 'stopRecording' });
    }
    return phase.at === 'capture' || phase.at === 'opening' ? withoutCamera(state, 'cameraBusy') : step(state);
  },
  deviceChosen: (state, { kind, id }) => switchTo(state, { ...state.choice, [kind]: id }),
  flip(state) {
    const used = state.phase.at === 'capture' ? state.phase.devices : undefined;
    return used ? switchTo(state, turnedAround(state.choice, used)) : step(state);
  },
};
