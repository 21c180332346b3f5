/** The expected results of each clip. Any other result fails the matrix. */
import { type ClipSpec, isMatroska, isMp4, storedSize } from '../clip/spec.ts';
import type { Judgement, Verdict } from './judge.ts';

interface Expected {
  verdicts: Verdict[];
  /** The expected sentence for a verdict other than `equal`. */
  reason?: RegExp;
}

const NO_VIDEO = /^This file is not a video that we can play; please record or choose another one\.$/;
const TOO_LARGE = /^The picture of this video is too large: at most 8K is taken/;
const lost = (what: string) => new RegExp(`^The video stays as it was uploaded: a copy would lose .*${what}`);
const NO_COPY = /^The video stays as it was uploaded: no copy could be made in which players can seek\.$/;

/** The largest picture is 8K. */
const MAX_PIXELS = 7_680 * 4_320;
const MAX_SIDE = 8_192;

const refusals: Array<[(clip: ClipSpec) => boolean, RegExp]> = [
  // No browser or phone records these.
  [({ container }) => container === 'avi' || container === 'ts', NO_VIDEO],
  [
    clip => storedSize(clip)[0] * storedSize(clip)[1] > MAX_PIXELS || Math.max(...storedSize(clip)) > MAX_SIDE,
    TOO_LARGE,
  ],
  // The cut removed the list of packets.
  [clip => clip.cut < 100 && isMp4(clip) && clip.container !== 'fmp4' && clip.index === 'back', NO_VIDEO],
];

const losses: Array<[(clip: ClipSpec) => boolean, RegExp]> = [
  [({ surgery }) => surgery === 'two descriptions', lost('a change of its format')],
  [({ surgery }) => surgery === 'two edits', lost('the cuts in it')],
  [({ tracks }) => tracks === 'unknown first', lost('its sound')],
  [clip => !isHeld(clip), NO_COPY],
  // ffmpeg cannot write a rotation or a mirroring into WebM, so the copy loses it.
  [clip => clip.turn !== 0 && isWebm(clip), lost('its turn')],
];

/** Returns the permitted verdicts of a clip. */
export function expectedOf(clip: ClipSpec): Expected {
  for (const [is, reason] of refusals) if (is(clip)) return { verdicts: ['refused'], reason };
  for (const [is, reason] of losses) if (is(clip)) return { verdicts: ['kept'], reason };
  // The copy of a cut clip contains the remaining packets, or differs only in the last packets.
  if (clip.cut < 100) return { verdicts: ['equal', 'kept'], reason: lost('') };
  return { verdicts: ['equal'] };
}

const MP4_VIDEO = ['h264', 'hevc', 'vp9', 'av1', 'mpeg4'];
const MP4_AUDIO = ['aac', 'opus', 'mp3', 'flac', 'ac3', 'none'];
const MOV_VIDEO = ['h264', 'hevc', 'mpeg4', 'mjpeg', 'prores'];
const MOV_AUDIO = ['aac', 'pcm', 'mp3', 'ac3', 'vorbis', 'none'];

/** Returns true if the content of a Matroska file fits into WebM. Then the copy is WebM. */
const isWebm = (clip: ClipSpec): boolean =>
  isMatroska(clip) && ['vp8', 'vp9', 'av1'].includes(clip.video) && ['opus', 'vorbis', 'none'].includes(clip.audio);

/** Returns true if WebM, MP4 or MOV can hold both codecs. */
function isHeld(clip: ClipSpec): boolean {
  const { container, video, audio } = clip;
  if (container !== 'mkv' || isWebm(clip)) return true;
  const isInMp4 = MP4_VIDEO.includes(video) && MP4_AUDIO.includes(audio);
  return isInMp4 || (MOV_VIDEO.includes(video) && MOV_AUDIO.includes(audio));
}

/** Returns the differences of a judgement from the permitted results of a clip; empty if there are none. */
export function mismatches(clip: ClipSpec, { verdict, reason, faults }: Judgement): string[] {
  const expected = expectedOf(clip);
  const found = [...faults];
  if (!expected.verdicts.includes(verdict)) found.unshift(`it should be ${expected.verdicts.join(' or ')}`);
  else if (verdict !== 'equal' && expected.reason && !expected.reason.test(reason))
    found.unshift('the reason is not the expected one');
  else if (verdict === 'equal' && reason !== '')
    found.unshift('mediaError names a problem, although nothing is missing');
  return found;
}
