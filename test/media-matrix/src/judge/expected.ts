/** The rules for which results of a clip are right. Any other result makes the matrix fail. */
import { type ClipSpec, isMatroska, isMp4, storedSize } from '../clip/spec.ts';
import type { Judgement, Verdict } from './judge.ts';

interface Expected {
  verdicts: Verdict[];
  /** The sentence of a verdict other than `equal`. */
  reason?: RegExp;
}

const NO_VIDEO = /^This file is not a video that we can play; please record or choose another one\.$/;
const TOO_LARGE = /^The picture of this video is too large: at most 8K is taken/;
const lost = (what: string) => new RegExp(`^The video stays as it was uploaded: a copy would lose .*${what}`);
const NO_COPY = /^The video stays as it was uploaded: no copy could be made in which players can seek\.$/;

/** The largest picture: 8K. */
const MAX_PIXELS = 7_680 * 4_320;
const MAX_SIDE = 8_192;

const refusals: Array<[(clip: ClipSpec) => boolean, RegExp]> = [
  // No browser and no phone records these.
  [({ container }) => container === 'avi' || container === 'ts', NO_VIDEO],
  [
    clip => storedSize(clip)[0] * storedSize(clip)[1] > MAX_PIXELS || Math.max(...storedSize(clip)) > MAX_SIDE,
    TOO_LARGE,
  ],
  // The list of its packets is gone.
  [clip => clip.cut < 100 && isMp4(clip) && clip.container !== 'fmp4' && clip.index === 'back', NO_VIDEO],
];

const losses: Array<[(clip: ClipSpec) => boolean, RegExp]> = [
  [({ surgery }) => surgery === 'two descriptions', lost('a change of its format')],
  [({ surgery }) => surgery === 'two edits', lost('the cuts in it')],
  [({ tracks }) => tracks === 'unknown first', lost('its sound')],
  [clip => !isHeld(clip), NO_COPY],
  // ffmpeg writes no turn into it.
  [clip => clip.turn !== 0 && isWebm(clip), lost('its turn')],
];

/** Returns the verdicts that a clip may have. */
export function expectedOf(clip: ClipSpec): Expected {
  for (const [is, reason] of refusals) if (is(clip)) return { verdicts: ['refused'], reason };
  for (const [is, reason] of losses) if (is(clip)) return { verdicts: ['kept'], reason };
  // A copy of a clip that was cut has what was left, or differs in its last packets.
  if (clip.cut < 100) return { verdicts: ['equal', 'kept'], reason: lost('') };
  return { verdicts: ['equal'] };
}

const MP4_VIDEO = ['h264', 'hevc', 'vp9', 'av1', 'mpeg4'];
const MP4_AUDIO = ['aac', 'opus', 'mp3', 'flac', 'ac3', 'none'];
const MOV_VIDEO = ['h264', 'hevc', 'mpeg4', 'mjpeg', 'prores'];
const MOV_AUDIO = ['aac', 'pcm', 'mp3', 'ac3', 'vorbis', 'none'];

/** Whether a Matroska file has what WebM may have: then the copy is WebM. */
const isWebm = (clip: ClipSpec): boolean =>
  isMatroska(clip) && ['vp8', 'vp9', 'av1'].includes(clip.video) && ['opus', 'vorbis', 'none'].includes(clip.audio);

/** Whether one of WebM, MP4 and MOV holds both codecs. */
function isHeld(clip: ClipSpec): boolean {
  const { container, video, audio } = clip;
  if (container !== 'mkv' || isWebm(clip)) return true;
  const isInMp4 = MP4_VIDEO.includes(video) && MP4_AUDIO.includes(audio);
  return isInMp4 || (MOV_VIDEO.includes(video) && MOV_AUDIO.includes(audio));
}

/** Returns why a judgement is not what may come of the clip; empty where it is. */
export function surprises(clip: ClipSpec, { verdict, reason, faults }: Judgement): string[] {
  const expected = expectedOf(clip);
  const found = [...faults];
  if (!expected.verdicts.includes(verdict)) found.unshift(`it should be ${expected.verdicts.join(' or ')}`);
  else if (verdict !== 'equal' && expected.reason && !expected.reason.test(reason))
    found.unshift('the reason is not the expected one');
  else if (verdict === 'equal' && reason !== '') found.unshift('mediaError names a problem, and everything was made');
  return found;
}
