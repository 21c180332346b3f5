/**
 * Detects a voice: a sound that is periodic, like the vibration of vocal folds, and whose pitch glides as in speech.
 */

/** The sample rate of the meter's input. */
export const RATE_HZ = 8_000;
/** The length of one measured window. */
export const WINDOW_SEC = 0.1;

/** The measured sound of a clip, in windows of a tenth of a second. */
export interface Sound {
  /** dB relative to full scale; `-Infinity` for digital silence. */
  levelsDb: number[];
  /** The seconds of voice in each window. */
  voiceSec: number[];
}

const FRAME = 320;
const HOP = 160;
const HOP_SEC = HOP / RATE_HZ;
// Pitches from 400 Hz down to 70 Hz.
const LAG_MIN = 20;
const LAG_MAX = 114;
const WINDOW = RATE_HZ * WINDOW_SEC;
const HOPS_A_WINDOW = WINDOW / HOP;
const QUIETEST = 32_768 * 10 ** (-65 / 20);

// These thresholds come from measurements (docs/decisions/0017): every clip of speech has a voice, and breath, wind,
// noise, clicks and hum have none.
/** A frame is periodic from this correlation with the signal one period later. */
const ALIKE = 0.4;
/** The minimum number of frames in a run. A shorter run may be chance. */
const RUN_MIN = 3;
/** The maximum change of a voice's pitch between two frames, as a share of the pitch. */
const STEP_MAX = 0.1;
/** The minimum change of a moving pitch. The pitch of a hum or a note changes less. */
const MOVE_MIN = 0.004;
/** The minimum share of moving steps in a run of voice. */
const MOVING_MIN = 0.25;

export interface VoiceMeter {
  /** Adds the next samples: mono, at RATE_HZ, filtered to the frequencies of a voice. */
  push(samples: Int16Array): void;
  /** Returns the measurement when all samples were added. */
  sound(): Sound;
}

/** Measures samples as they arrive, so that only the result uses memory. */
export function createVoiceMeter(): VoiceMeter {
  const levelsDb: number[] = [];
  const isVoice: boolean[] = [];
  const frame = new Float32Array(FRAME + LAG_MAX);
  let filled = 0;
  let before = 0;
  let power = 0;
  let counted = 0;
  let run: number[] = [];
  const endRun = () => {
    if (run.length >= RUN_MIN && movingOf(run) >= MOVING_MIN) isVoice.fill(true, isVoice.length - run.length);
    run = [];
  };
  const take = (pitch: number) => {
    const last = run.at(-1);
    if (pitch === 0 || (last !== undefined && Math.abs(pitch - last) > STEP_MAX * last)) endRun();
    isVoice.push(false);
    if (pitch > 0) run.push(pitch);
  };
  const measure = () => {
    levelsDb.push(10 * Math.log10(power / counted / 32_768 ** 2));
    [power, counted] = [0, 0];
  };
  return {
    push(samples) {
      for (const sample of samples) {
        power += sample * sample;
        if (++counted === WINDOW) measure();
        // Removes the slope of the signal, because low noise would look periodic.
        frame[filled++] = sample - 0.9 * before;
        before = sample;
        if (filled < frame.length) continue;
        take(pitchOf(frame));
        frame.copyWithin(0, HOP);
        filled -= HOP;
      }
    },
    sound() {
      endRun();
      if (counted > 0) measure();
      const voiceSec = levelsDb.map((_, at) => {
        const frames = isVoice.slice(at * HOPS_A_WINDOW, (at + 1) * HOPS_A_WINDOW);
        return frames.filter(Boolean).length * HOP_SEC;
      });
      return { levelsDb, voiceSec };
    },
  };
}

/** Returns the share of a run's steps with a change of pitch. */
function movingOf(run: number[]): number {
  const moving = run.filter((pitch, at) => at > 0 && Math.abs(pitch - run[at - 1]!) > MOVE_MIN * pitch);
  return moving.length / (run.length - 1);
}

/** Returns the pitch of a frame in Hz; 0 when it is not periodic. */
function pitchOf(frame: Float32Array): number {
  const first = energy(frame, 0);
  if (first < QUIETEST ** 2 * FRAME * 0.02) return 0;
  let second = energy(frame, LAG_MIN - 1);
  const likeness = new Float32Array(LAG_MAX + 1);
  let best = 0;
  for (let lag = LAG_MIN; lag <= LAG_MAX; lag += 1) {
    second += frame[lag + FRAME - 1]! ** 2 - frame[lag - 1]! ** 2;
    let product = 0;
    for (let at = 0; at < FRAME; at += 1) product += frame[at]! * frame[at + lag]!;
    likeness[lag] = product / Math.sqrt(first * Math.max(second, 1));
    best = Math.max(best, likeness[lag]!);
  }
  if (best < ALIKE) return 0;
  for (let lag = LAG_MIN + 1; lag < LAG_MAX; lag += 1) {
    const [left, here, right] = [likeness[lag - 1]!, likeness[lag]!, likeness[lag + 1]!];
    if (here < 0.9 * best || here < left || here < right) continue;
    // The peak of the parabola through three neighbouring values.
    return RATE_HZ / (lag + (left - right) / (2 * (left - 2 * here + right) || 1));
  }
  return 0;
}

function energy(frame: Float32Array, from: number): number {
  let sum = 0;
  for (let at = from; at < from + FRAME; at += 1) sum += frame[at]! ** 2;
  return sum;
}
