/** Finds voices in sound: where something is periodic as vocal folds are, and its pitch glides as that of speech does. */

/** Samples a second of the sound that a meter takes. */
export const RATE_HZ = 8_000;
/** The length of one measured window. */
export const WINDOW_SEC = 0.1;

/** What a clip sounds like, by tenths of a second. */
export interface Sound {
  /** dB of full scale; `-Infinity` for digital silence. */
  levelsDb: number[];
  /** Seconds of voice in each window. */
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

// Measured (docs/decisions/0017): every clip of speech has voice by these, and breath, wind, noise, clicks and hum have none.
/** How alike a stretch is to the one a period later, from which on it is periodic. */
const ALIKE = 0.4;
/** A shorter stretch may be chance. */
const RUN_MIN = 3;
/** From one frame to the next a voice's pitch changes by less, */
const STEP_MAX = 0.1;
/** and by more than a hum's or a note's does, */
const MOVE_MIN = 0.004;
/** in at least this share of the steps of a stretch. */
const MOVING_MIN = 0.25;

export interface VoiceMeter {
  /** Takes the next samples: mono, RATE_HZ, in the band of the voice. */
  push(samples: Int16Array): void;
  /** What was measured, when all samples have been pushed. */
  sound(): Sound;
}

/** Measures samples as they come; memory grows with the result alone. */
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
        // Without its slope low noise would look periodic.
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

/** How much of a stretch its pitch moves, as a share of its steps. */
function movingOf(run: number[]): number {
  const moving = run.filter((pitch, at) => at > 0 && Math.abs(pitch - run[at - 1]!) > MOVE_MIN * pitch);
  return moving.length / (run.length - 1);
}

/** The pitch of a frame in Hz; 0 where it is not periodic. */
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
    // The top of the parabola through the three.
    return RATE_HZ / (lag + (left - right) / (2 * (left - 2 * here + right) || 1));
  }
  return 0;
}

function energy(frame: Float32Array, from: number): number {
  let sum = 0;
  for (let at = from; at < from + FRAME; at += 1) sum += frame[at]! ** 2;
  return sum;
}
