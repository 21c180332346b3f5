import type { Track } from './inspection.ts';

/** The source of a clip's sound. */
export interface ChosenSound {
  /** Its index among all streams of the file. */
  stream: number;
  /** The only channel to use, when the mix of both is far quieter. */
  channel?: 0 | 1;
}

/**
 * The result of a measurement: whether the sound is silent, and the only channel to use; undefined for the mix of
 * both.
 */
export interface Listened {
  isSilent: boolean;
  channel: 0 | 1 | undefined;
}

/** The maximum number of sounds to measure in a clip. */
const LISTENED_MAX = 8;
const SILENT = 32_768 * 10 ** (-60 / 20);
// 15 dB.
const FAR_BELOW = 10 ** (-15 / 10);
/** The number of audible windows that decide how a sound's channels mix. */
const ENOUGH = 30;

/** Returns the sounds to choose from. */
export const soundsOf = (tracks: readonly Track[]): Track[] =>
  tracks.filter(({ kind, codec }) => kind === 'audio' && codec !== '').slice(0, LISTENED_MAX);

/** Measures 16-bit stereo sound, window by window. */
export class StereoMeter {
  private readonly power = [0, 0];
  private mixed = 0;
  private heard = 0;
  private readonly window: number;

  /** `window` is in samples of both channels. */
  constructor(window: number) {
    this.window = window * 4;
  }

  /** Measures the next samples. Returns true when the measurement is sufficient. */
  push(samples: Buffer): boolean {
    for (let at = 0; at < samples.length && this.heard < ENOUGH; at += this.window)
      this.measure(samples.subarray(at, at + this.window));
    return this.heard >= ENOUGH;
  }

  get result(): Listened {
    const louder = this.power[0]! >= this.power[1]! ? 0 : 1;
    const isLost = this.mixed < FAR_BELOW * this.power[louder]!;
    return { isSilent: this.heard === 0, channel: this.heard > 0 && isLost ? louder : undefined };
  }

  private measure(samples: Buffer): void {
    let [left, right, mixed] = [0, 0, 0];
    const count = Math.floor(samples.length / 4);
    for (let at = 0; at < count; at += 1) {
      const [one, other] = [samples.readInt16LE(at * 4), samples.readInt16LE(at * 4 + 2)];
      left += one * one;
      right += other * other;
      mixed += ((one + other) / 2) ** 2;
    }
    if (Math.max(left, right) <= SILENT ** 2 * count) return;
    this.heard += 1;
    this.power[0]! += left;
    this.power[1]! += right;
    this.mixed += mixed;
  }
}
