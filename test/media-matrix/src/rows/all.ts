import { PLAIN } from '../clip/spec.ts';
import { allPairs } from './pairwise.ts';
import { isPossible } from './possible.ts';
import { type Row, rowOf } from './row.ts';
import { SPECIAL } from './special.ts';

/** Returns every row: the named ones, then combinations that cover each possible pair of properties. */
export function allRows(): Row[] {
  const paired = allPairs(PLAIN, PROPERTIES, isPossible);
  // H.263 supports few sizes.
  const rows = paired.map(clip => rowOf(clip.video === 'h263' ? { ...clip, size: '352x288' } : clip));
  const named = SPECIAL.map(({ isBounded: _, ...of }) => rowOf({ ...PLAIN, ...of }));
  return [...new Map([...named, ...rows].map(row => [row.name, row])).values()];
}

/** Returns the rows for `npm test`: at least one of each kind. */
export const boundedRows = (): Row[] =>
  SPECIAL.filter(({ isBounded }) => isBounded).map(({ isBounded: _, ...of }) => rowOf({ ...PLAIN, ...of }));

const PROPERTIES: Parameters<typeof allPairs<typeof PLAIN>>[1] = {
  container: ['webm', 'webm file', 'mkv', 'mp4', 'mov', 'fmp4', '3gp'],
  video: ['h264', 'hevc', 'vp8', 'vp9', 'av1', 'mpeg4', 'h263', 'mjpeg', 'prores'],
  audio: ['aac', 'opus', 'vorbis', 'pcm', 'mp3', 'alac', 'flac', 'ac3', 'ima', 'amr', 'none'],
  turn: [0, 90, 180, 270, 'mirrored'],
  edit: ['none', 'hidden start', 'late picture'],
  pixels: ['1:1', '4:3', '8:9'],
  colour: ['untagged', 'bt601', 'bt709', 'full', 'hlg', 'pq'],
  tracks: ['picture first', 'sound first', 'silent first', 'two sounds', 'cover', 'data', 'subtitles', 'unknown first'],
  sound: ['in time', 'late 1 s', 'gap', 'out of phase', 'ends early', 'surround', 'none'],
  rate: ['constant', 'variable'],
};
