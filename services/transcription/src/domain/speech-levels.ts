/** The length of one measured window. */
export const WINDOW_SEC = 0.1;

const MIN_SPEECH_SEC = 0.3;
const MIN_VARIATION_DB = 3;

/**
 * Returns whether a clip may hold speech, by the level of each tenth of a second (dB of full scale, in the band of the
 * voice): something is louder than `thresholdDb` for a moment, and it is not as even as a fan or a hum. In doubt, true.
 */
export function mayHoldSpeech(levelsDb: number[], thresholdDb: number): boolean {
  const loud = levelsDb.filter(level => level >= thresholdDb);
  if (loud.length * WINDOW_SEC < MIN_SPEECH_SEC) return false;
  const sorted = levelsDb.toSorted((a, b) => a - b);
  const [quiet, loudest] = [at(sorted, 0.1), at(sorted, 0.98)];
  return !(loudest - quiet < MIN_VARIATION_DB);
}

const at = (sorted: number[], share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
