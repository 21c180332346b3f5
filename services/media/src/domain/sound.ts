import type { Track } from './inspection.ts';

/** The source of a clip's sound. */
export interface ChosenSound {
  /** The sound's index among all streams of the file. */
  stream: number;
  /** The only channel to use, if a mix of both channels would be far quieter. */
  channel?: 0 | 1;
}

/**
 * The result of a measurement: whether the sound is silent, and the only channel to use (undefined: use the mix of
 * both).
 */
export interface Listened {
  isSilent: boolean;
  channel: 0 | 1 | undefined;
}

/** At most this many sounds of a clip are measured. */
const LISTENED_MAX = 8;
const SILENT = 32_768 * 10 ** (-60 / 20);
// 15 dB.
const FAR_BELOW = 10 ** (-15 / 10);
/** This many audible windows are enough to decide how to mix a sound's channels. */
const ENOUGH = 30;

/** Returns the sounds among which to choose. */
export const soundsOf = (tracks: readonly Track[]): Track[] =>
  tracks.filter(({ kind, codec }) => kind === 'audio' && codec !== '').slice(0, LISTENED_MAX);

/** Measures 16-bit stereo sound, window by window. */
export class StereoMeter {
  private readonly power = [0, 0];
  private mixed = 0;
  private heard = 0;
  private readonly window: number;

  /** The length of a `window`, in samples of both channels. */
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
