import { recordingTypeOf } from './recording-type.ts';
import type { StoredTake } from './take.ts';

/** A running recording. */
export interface Recording {
  /** The recorded time, without pauses. */
  elapsedMs(): number;
  pause(): void;
  resume(): void;
  stop(): void;
}

const TIMESLICE_MS = 1_000;
const QUALITY = { videoBitsPerSecond: 1_800_000, audioBitsPerSecond: 96_000 };

/** Returns this browser's recording type, or undefined when it supports none of our types. */
export const recordingType = (): string | undefined =>
  recordingTypeOf(navigator, type => MediaRecorder.isTypeSupported(type));

/**
 * Records the stream into the take. Calls `ended` when the recording stops for any reason and the take has all bytes.
 * Fails when the browser cannot record this stream.
 */
export function record(stream: MediaStream, take: StoredTake, ended: () => void): Recording {
  const type = recordingType();
  const recorder = new MediaRecorder(stream, { ...QUALITY, ...(type ? { mimeType: type } : {}) });
  let elapsed = 0;
  let runningSince: number | undefined;
  const elapsedMs = () => elapsed + (runningSince === undefined ? 0 : performance.now() - runningSince);
  recorder.onstart = recorder.onresume = () => {
    runningSince = performance.now();
  };
  recorder.onpause = () => {
    elapsed = elapsedMs();
    runningSince = undefined;
  };
  recorder.ondataavailable = event => {
    void take.append(event.data);
    void take.update({ durationMs: elapsedMs() });
  };
  recorder.onstop = async () => {
    elapsed = elapsedMs();
    runningSince = undefined;
    await take.append(new Blob([]));
    await take.update({ stopped: true, durationMs: elapsed });
    ended();
  };
  recorder.onerror = () => recorder.state !== 'inactive' && recorder.stop();
  recorder.start(TIMESLICE_MS);
  return {
    elapsedMs,
    pause: () => recorder.state === 'recording' && recorder.pause(),
    resume: () => recorder.state === 'paused' && recorder.resume(),
    stop: () => recorder.state !== 'inactive' && recorder.stop(),
  };
}
