import { BEATS_SEC } from '../clip/base.ts';
import {
  type ClipSpec,
  EARLY_END_SEC,
  FRAME_RATE,
  GAPS,
  HIDDEN_SEC,
  LATE_PICTURE_SEC,
  LATE_SEC,
} from '../clip/spec.ts';
import {
  type DecodedSound,
  isFlashing,
  isUpright,
  numberIn,
  type Picture,
  picturesOf,
  soundOf,
  wordsIn,
} from './decode.ts';
import { type Facts, factsOf } from './facts.ts';

/** A decoded video. */
export interface Decoded {
  facts: Facts;
  pictures: Picture[];
  /** The sound with the words; undefined if the clip has none. */
  sound: DecodedSound | undefined;
  words: number[];
  /** The end of the last picture or of the sound, in seconds. */
  endSec: number;
}

/** Returns the index of the sound with the words. */
const voiceOf = ({ tracks }: ClipSpec) => Number(tracks === 'silent first' || tracks === 'unknown first');

export async function decode(path: string, clip: ClipSpec, signal: AbortSignal): Promise<Decoded> {
  const facts = await factsOf(path, signal);
  const pictures = await picturesOf(path, signal);
  const hasSound = clip.audio !== 'none' && facts.sounds.length > 0;
  const channel = clip.sound === 'out of phase' ? 0 : undefined;
  const sound = hasSound ? await soundOf(path, { nth: voiceOf(clip), channel, signal }) : undefined;
  const last = pictures.at(-1)?.sec ?? 0;
  return {
    ...{ facts, pictures, sound },
    words: sound ? wordsIn(sound) : [],
    endSec: Math.max(last + 1 / FRAME_RATE, sound?.seconds ?? 0),
  };
}

/** The permitted offset of a word in a clip, caused by lossy codecs and whole packets. */
const WORD_OFF_SEC = 0.06;
/** The tolerance at the edge of a clip, where a packet with the beginning of a word may be missing or cut. */
const EDGE_SEC = 0.1;
/** The tolerance of a flash's time, because a variable rate omits some pictures. */
const FLASH_OFF_SEC = 0.14;

/** Returns the faults of a clip itself. They are errors of the matrix, not of the product. */
export function clipFaults(clip: ClipSpec, { pictures, words, sound }: Decoded): string[] {
  if (clip.cut < 100 || clip.surgery === 'two edits') return [];
  const faults: string[] = [];
  const numbers = pictures.map(numberIn);
  if (clip.rate === 'constant' && pictures.length !== clip.frames)
    faults.push(`the clip has ${pictures.length} pictures, not ${clip.frames}`);
  if (numbers.some((number, at) => at > 0 && number <= numbers[at - 1]!) && clip.surgery === 'none')
    faults.push(`the clip's pictures are out of order: ${numbers.join(' ')}`);
  if (pictures.some(picture => !isUpright(picture))) faults.push("the clip's pictures are not upright");
  // AMR clips have noise, and any part of it may be quiet.
  if (!sound || clip.audio === 'amr') return faults;
  const wanted = wantedWords(clip);
  const fits = (list: number[]) => list.every(word => words.some(found => Math.abs(found - word) <= WORD_OFF_SEC));
  if (!fits(wanted.sure) || words.some(word => !wanted.all.some(one => Math.abs(one - word) <= WORD_OFF_SEC)))
    faults.push(`the clip's words are at ${secondsOf(words)}, not at ${secondsOf(wanted.sure)}`);
  const late = clip.edit === 'late picture' ? LATE_PICTURE_SEC : 0;
  const flashes = pictures.filter((picture, at) => isFlashing(picture) && (at === 0 || !isFlashing(pictures[at - 1]!)));
  const end = pictures.at(-1)?.sec ?? 0;
  for (const word of words)
    if (word + late < end && !flashes.some(({ sec }) => Math.abs(sec - word - late) <= FLASH_OFF_SEC))
      faults.push(`no flash at the word at ${word}`);
  return faults;
}

/**
 * Returns the start times of a clip's words. The words in `sure` must exist. `all` also contains words at an edge,
 * which may be missing.
 */
function wantedWords(clip: ClipSpec): { sure: number[]; all: number[] } {
  const hidden = clip.edit === 'hidden start' ? HIDDEN_SEC : 0;
  const from = Math.max(LATE_SEC[clip.sound] ?? 0, hidden);
  const until = clip.sound === 'ends early' ? EARLY_END_SEC : clip.frames / FRAME_RATE + hidden;
  const [gapFrom, gapTo] = GAPS[clip.sound] ?? [0, 0];
  const within = (edge: number) =>
    BEATS_SEC.filter(beat => beat > from - edge && beat < until + edge)
      .filter(beat => beat < gapFrom + edge || beat > gapTo - edge)
      .map(beat => beat - hidden);
  return { sure: within(-EDGE_SEC), all: within(EDGE_SEC) };
}

export const secondsOf = (list: number[]): string => list.map(sec => sec.toFixed(2)).join(' ') || 'none';
