import { type Sound, WINDOW_SEC } from './voice.ts';

const MIN_SPEECH_SEC = 0.3;
const MIN_VARIATION_DB = 3;
// The usual error of a provider's times.
const TIMES_OFF_SEC = 0.2;

/**
 * Returns whether a clip may contain speech. It may when some sound is louder than `thresholdDb`, the level varies more
 * than the level of a fan or a hum, and the sound has a voice. Also returns true when the sound could not be measured.
 */
export function mayHoldSpeech({ levelsDb, voiceSec }: Sound, thresholdDb: number): boolean {
  if (levelsDb.length === 0) return true;
  const loud = levelsDb.filter(level => level >= thresholdDb);
  if (loud.length * WINDOW_SEC < MIN_SPEECH_SEC) return false;
  const sorted = levelsDb.toSorted((a, b) => a - b);
  const [quiet, loudest] = [at(sorted, 0.1), at(sorted, 0.98)];
  return !(loudest - quiet < MIN_VARIATION_DB) && voiceSec.some(sec => sec > 0);
}

const at = (sorted: number[], share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;

/**
 * Returns the share of a time range that has a voice, 0 to 1; undefined when the sound could not be measured or the
 * range has no times.
 */
export type VoiceShare = (startSec: number, endSec: number) => number | undefined;

/**
 * Returns a function that returns the share of voice in any time range. Its cost does not depend on the range's length.
 */
export function voiceShareOf({ voiceSec }: Sound): VoiceShare {
  // The sum of voice in all windows before each window.
  const before = [0];
  for (const sec of voiceSec) before.push(before.at(-1)! + sec);
  const voiceBefore = (window: number) => before[Math.min(voiceSec.length, Math.max(0, window))]!;
  return (startSec, endSec) => {
    if (voiceSec.length === 0 || !Number.isFinite(startSec) || !Number.isFinite(endSec)) return undefined;
    const [from, to] = [startSec - TIMES_OFF_SEC, Math.max(startSec, endSec) + TIMES_OFF_SEC];
    const voice = voiceBefore(Math.max(1, Math.ceil(to / WINDOW_SEC))) - voiceBefore(Math.floor(from / WINDOW_SEC));
    return voice / (to - from);
  };
}
