import type { CameraProblem, Event, Run } from '../state/events.ts';
import { type Camera, closeCamera, devicesOf, openCamera } from './camera.ts';
import { type Recording, record } from './recording.ts';
import type { Takes } from './takes.ts';
import { type Watch, watchStream } from './watch.ts';

const TICK_MS = 100;

type CameraEffect =
  | 'openCamera'
  | 'closeCamera'
  | 'startRecording'
  | 'pauseRecording'
  | 'resumeRecording'
  | 'stopRecording';

/** Controls the one active camera and its recording. Reports events, and readings of picture and sound many times per second. */
export function createCameraSession(
  live: HTMLVideoElement,
  takes: Takes,
  dispatch: (event: Event) => void,
): Run<CameraEffect> {
  let camera: Camera | undefined;
  let watch: Watch | undefined;
  let recording: Recording | undefined;
  let ticker: number | undefined;
  // Increases with each new camera and when the camera closes.
  let generation = 0;

  const tick = () => {
    if (!watch) return;
    const elapsed = (recording?.elapsedMs() ?? 0) / 1_000;
    dispatch({ is: 'tick', now: performance.now(), reading: watch.read(), elapsed });
  };

  function release(): void {
    generation += 1;
    window.clearInterval(ticker);
    watch?.stop();
    watch = undefined;
    closeCamera(camera);
    camera = undefined;
    live.srcObject = null;
  }

  function use(opened: Camera): void {
    camera = opened;
    live.srcObject = opened.stream;
    live.classList.toggle('mirrored', opened.mirrored);
    void live.play().catch(() => {});
    watch = watchStream(opened.stream, live);
    for (const track of opened.stream.getTracks()) track.onended = () => dispatch({ is: 'cameraEnded' });
  }

  return {
    async openCamera({ choice }) {
      // Turns the old camera off first: many phones can use only one camera at a time.
      release();
      const mine = generation;
      try {
        const opened = await openCamera(choice);
        if (mine !== generation) return closeCamera(opened);
        use(opened);
        const all = await devicesOf(opened.stream);
        const devices = choice.audio ? { ...all, cameras: [] } : all;
        if (mine !== generation) return;
        ticker = window.setInterval(tick, TICK_MS);
        dispatch({ is: 'cameraOpened', devices });
      } catch (problem) {
        const known = typeof problem === 'string' ? (problem as CameraProblem) : 'noCamera';
        if (mine === generation) dispatch({ is: 'cameraFailed', problem: known });
      }
    },
    closeCamera: release,
    startRecording({ id }) {
      const take = takes.get(id);
      if (!camera || !take) return;
      watch?.reset();
      const ended = async () => {
        recording = undefined;
        const { heard, seen } = watch?.read() ?? { heard: true, seen: true };
        await take.update({ heard, seen });
        dispatch({ is: 'recordingStopped', take: take.snapshot() });
      };
      try {
        recording = record(camera.stream, take, ended);
      } catch {
        // Some browsers show only here that they cannot record this camera's stream.
        void ended();
      }
    },
    pauseRecording: () => recording?.pause(),
    resumeRecording: () => recording?.resume(),
    stopRecording: () => recording?.stop(),
  };
}
