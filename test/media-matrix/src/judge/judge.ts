import { readFile } from 'node:fs/promises';
import { PATCHES } from '../clip/base.ts';
import { shownSize } from '../clip/encoding.ts';
import { type ClipSpec, FRAME_RATE, isHdr, isSideways, storedSize } from '../clip/spec.ts';
import type { Outcome } from '../run/pipeline.ts';
import { colourOf, differenceOf, isUpright, numberIn, picturesOf, soundOf, wordsIn } from './decode.ts';
import { clipFaults, type Decoded, decode, secondsOf } from './source.ts';

export type Verdict = 'equal' | 'kept' | 'refused' | 'failed';

/** The result for one clip. */
export interface Judgement {
  verdict: Verdict;
  /** The sentence for the owner or the contributor. */
  reason: string;
  /** The faults found, independent of the verdict. */
  faults: string[];
}

const SOUND_OFF_SEC = 0.04;
const CUE_OFF_SEC = 0.3;
const SHORTEST_WORD_SEC = 0.25;
const FRAME_SEC = 1 / FRAME_RATE;
const ROUNDING_SEC = 0.003;
/** A cut clip ends with an incomplete picture. Some readers count this picture. */
const CUT_OFF_SEC = 0.6;
/** A thumbnail shows the nearest key frame within this time or, if there is none, the exact picture. */
const NEAR_SEC = 2;
const PACKET_SEC = 0.05;
const LONG_PACKET_SEC = 0.13;
const PICTURE_OFF = 1;
const COLOUR_OFF = { sdr: 18, hdr: 45, tiny: 40 };

/** Decodes a clip and its media from the services, and compares them. */
export async function judge(path: string, clip: ClipSpec, outcome: Outcome, signal: AbortSignal): Promise<Judgement> {
  const { refused, failed, problem = '' } = outcome;
  if (refused !== undefined) return { verdict: 'refused', reason: refused, faults: [] };
  if (failed !== undefined) return { verdict: 'failed', reason: failed, faults: [] };
  const source = await decode(path, clip, signal);
  const faults = clipFaults(clip, source);
  if (outcome.video) faults.push(...videoFaults(source, await decode(outcome.video, clip, signal)));
  faults.push(...(await thumbnailFaults(source, clip, outcome, signal)));
  faults.push(...(await soundFaults(source, outcome, signal)), ...cueFaults(source, outcome));
  if (!(Math.abs(outcome.durationSec - source.endSec) <= FRAME_SEC + ROUNDING_SEC + packetOf(source)))
    faults.push(`the reported length is ${outcome.durationSec.toFixed(3)} s, not ${source.endSec.toFixed(3)} s`);
  return { verdict: outcome.video ? 'equal' : 'kept', reason: problem, faults };
}

/** Codecs with long packets. */
const LONG_PACKETS = new Set(['flac', 'alac']);

/**
 * Returns the permitted difference of a clip's duration, in seconds. The file has the whole last packet of sound, but a
 * player may hide a part of it.
 */
const packetOf = ({ sound, pictures, facts }: Decoded) => {
  const isLong = facts.sounds.some(({ codec }) => LONG_PACKETS.has(codec!));
  const lastEnd = (pictures.at(-1)?.sec ?? 0) + FRAME_SEC;
  if (!sound || sound.seconds + (isLong ? LONG_PACKET_SEC : 0) <= lastEnd) return 0;
  return isLong ? LONG_PACKET_SEC : PACKET_SEC;
};

function videoFaults(source: Decoded, stored: Decoded): string[] {
  const faults: string[] = [];
  const [before, after] = [source.facts, stored.facts];
  for (const kind of ['videos', 'sounds'] as const) {
    const [wanted, found] = [before[kind], after[kind]].map(tracks => JSON.stringify(tracks));
    if (!before[kind].every((track, at) => isWithin(track, after[kind][at])))
      faults.push(`${kind}: ${found}, not ${wanted}`);
  }
  if (stored.pictures.length !== source.pictures.length)
    faults.push(`${stored.pictures.length} pictures, not ${source.pictures.length}`);
  const unlike = source.pictures.findIndex((picture, at) => {
    const other = stored.pictures[at];
    return !other || other.size !== picture.size || differenceOf(picture, other) > PICTURE_OFF;
  });
  if (unlike >= 0) faults.push(`picture ${unlike} is not the same`);
  const moved = source.pictures.find(
    ({ sec }, at) => Math.abs(sec - (stored.pictures[at]?.sec ?? sec)) > FRAME_SEC / 2,
  );
  if (moved) faults.push(`the picture at ${moved.sec} is at another time`);
  faults.push(...wordFaults('the video', source.words, stored.words));
  const { durationSec } = stored.facts;
  if (!(Math.abs(durationSec - stored.endSec) <= FRAME_SEC + ROUNDING_SEC + packetOf(stored)))
    faults.push(`the video states ${durationSec} s, not ${stored.endSec.toFixed(3)} s`);
  if (Math.abs(stored.endSec - source.endSec) > FRAME_SEC + ROUNDING_SEC)
    faults.push(`the video lasts ${stored.endSec.toFixed(3)} s, not ${source.endSec.toFixed(3)} s`);
  return faults;
}

/** Returns true if the other track has all properties of this one. */
const isWithin = (track: Record<string, string>, other: Record<string, string> | undefined) =>
  other !== undefined && Object.entries(track).every(([name, value]) => other[name] === value);

function wordFaults(what: string, wanted: number[], found: number[], off = SOUND_OFF_SEC): string[] {
  const isSame = wanted.length === found.length && wanted.every((word, at) => Math.abs(word - found[at]!) <= off);
  return isSame ? [] : [`${what} has words at ${secondsOf(found)}, not at ${secondsOf(wanted)}`];
}

async function thumbnailFaults(
  source: Decoded,
  clip: ClipSpec,
  { thumbnails, durationSec }: Outcome,
  signal: AbortSignal,
): Promise<string[]> {
  if (thumbnails.length !== 3) return [`${thumbnails.length} thumbnails`];
  const faults: string[] = [];
  const last = source.pictures.at(-1)!.sec;
  const wanted = [0, Math.min(durationSec / 2, last), last];
  const [width, height] = shownSize(clip);
  // A thumbnail may widen or narrow pixels that are not square.
  const shown = {
    widths: [width, (storedSize(clip)[isSideways(clip) ? 0 : 1] * width) / height],
    ratio: width / height,
  };
  const shortest = Math.min(...storedSize(clip));
  const off = isHdr(clip) ? COLOUR_OFF.hdr : shortest < 90 ? COLOUR_OFF.tiny : COLOUR_OFF.sdr;
  for (const [at, name] of ['start', 'middle', 'end'].entries()) {
    const [picture] = await picturesOf(thumbnails[at]!, signal);
    const [wide, high] = picture!.size.split('x').map(Number) as [number, number];
    const isWide = shown.widths.some(each => Math.abs(Math.min(640, each) - wide) < 2);
    const isSized = Math.abs(wide / shown.ratio - high) <= 2 && (clip.surgery !== 'none' || isWide);
    if (!isSized) faults.push(`thumbnail ${name} is ${picture!.size}`);
    if (!isUpright(picture!)) faults.push(`thumbnail ${name} is not upright`);
    const numbers = momentsFor(source, wanted[at]!, clip.cut < 100 ? CUT_OFF_SEC : 0);
    const number = numberIn(picture!);
    if (!numbers.includes(number))
      faults.push(`thumbnail ${name} shows picture ${number}, not ${numbers.join(' or ')}`);
    for (const patch of PATCHES) {
      const colour = colourOf(picture!, patch);
      if (colour.some((value, part) => Math.abs(value - patch.colour[part]!) > off))
        faults.push(`thumbnail ${name} has ${patch.name} as ${colour.join(',')}`);
    }
  }
  return faults;
}

/** Returns the numbers of the pictures that the thumbnail of a moment may show. */
function momentsFor({ pictures, facts }: Decoded, wanted: number, off: number): number[] {
  const at = (sec: number) => pictures.findLast(picture => picture.sec <= sec + ROUNDING_SEC) ?? pictures[0]!;
  const near = facts.keyFrames
    .filter(sec => Math.abs(sec - wanted) <= NEAR_SEC && sec >= -ROUNDING_SEC)
    .toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted));
  const next = pictures.find(({ sec }) => sec >= wanted - ROUNDING_SEC) ?? pictures.at(-1)!;
  const about = pictures.filter(({ sec }) => Math.abs(sec - wanted) <= off);
  const moments = [at(wanted), next, ...about, ...near.slice(0, 2).map(at)];
  return [...new Set(moments.map(numberIn))];
}

async function soundFaults(source: Decoded, { audio, recognized }: Outcome, signal: AbortSignal): Promise<string[]> {
  const hasSound = source.sound !== undefined && source.sound.seconds > 0;
  if (hasSound !== (audio !== undefined)) return [audio ? 'there is audio without a sound' : 'there is no audio'];
  if (!audio) return [];
  const sound = await soundOf(audio, { signal });
  const faults = wordFaults('the audio', source.words, wordsIn(sound));
  if (recognized) faults.push(...wordFaults('the sound for transcription', source.words, recognized));
  if (!(await readFile(audio)).includes('mp4a')) faults.push('the audio is not AAC');
  return faults;
}

/** Returns a fault for each word outside the cues and each cue that does not begin with a word. */
function cueFaults({ words, sound }: Decoded, { vtt, recognized, durationSec }: Outcome): string[] {
  if (vtt === undefined || recognized === undefined) return [];
  const cues = Array.from(
    vtt.matchAll(/^(\S+) --> (\S+)/gm),
    ([, start, end]) => [clockOf(start!), clockOf(end!)] as const,
  );
  // A cut word may be silent.
  const whole = words.filter(word => word + SHORTEST_WORD_SEC <= sound!.seconds);
  const lost = whole.filter(
    word => !cues.some(([start, end]) => start - CUE_OFF_SEC <= word && word <= end + CUE_OFF_SEC),
  );
  // A cue near the end of the clip begins early, so that viewers have time to read it.
  const isLast = (end: number) => end >= durationSec - 2 * FRAME_SEC;
  const begins = (start: number) => words.some(word => Math.abs(word - start) <= CUE_OFF_SEC);
  const idle = cues.filter(([start, end]) => !begins(start) && !isLast(end));
  return [
    ...lost.map(word => `no cue has the word at ${word.toFixed(2)}`),
    ...idle.map(([start]) => `the cue at ${start.toFixed(2)} has no word`),
  ];
}

function clockOf(text: string): number {
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}
