import type { StoredTake } from './take.ts';

/** A running recording. */
export interface Recording {
  /** Recorded time, without pauses. */
  elapsedMs(): number;
  pause(): void;
  resume(): void;
  stop(): void;
}

// WebM first: it comes out every second, so that a crash loses least. MP4 where that is all there is.
const TYPES = ['video/webm;codecs=vp8,opus', 'video/webm', 'video/mp4;codecs=avc1.42E01E,mp4a.40.2', 'video/mp4'];
const TIMESLICE_MS = 1_000;
const QUALITY = { videoBitsPerSecond: 1_800_000, audioBitsPerSecond: 96_000 };

/** The type that this browser records, or undefined where it knows none of ours: then it takes its own. */
export const recordingType = (): string | undefined => TYPES.find(type => MediaRecorder.isTypeSupported(type));

/**
 * Records the stream into the take. `ended` is called when it stops, by whatever; the take has all bytes then. Fails when the
 * browser does not record such a stream.
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
