/** ffmpeg options for the inputs, tracks and filters of a clip. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { amrFile } from './amr.ts';
import { BASE_HEIGHT, BASE_WIDTH, makeBase, RATE_HZ } from './base.ts';
import { AUDIO_ENCODING, videoEncoding, videoFilters } from './encoding.ts';
import { type ClipSpec, EARLY_END_SEC, FRAME_RATE, GAPS, isMp4, LATE_SEC } from './spec.ts';

const later = (sec: number) => (sec > 0 ? ['-itsoffset', String(sec)] : []);
const secondsOf = ({ frames }: ClipSpec) => frames / FRAME_RATE;

/** Returns the inputs: pictures, sound, and the source of an additional track. */
export async function inputsOf(dir: string, spec: ClipSpec): Promise<string[]> {
  const base = await makeBase(dir);
  const rgb = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${BASE_WIDTH}x${BASE_HEIGHT}`, '-r', String(FRAME_RATE)];
  const pictures = [...rgb, '-i', base.pictures];
  if (spec.audio === 'none') return [...pictures, ...(await besideInputs(dir, spec))];
  const from = LATE_SEC[spec.sound] ?? 0;
  const raw = ['-f', 's16le', '-ar', String(RATE_HZ), '-ac', '1', '-i', base.sound];
  const sound = spec.audio === 'amr' ? ['-i', await amrFile(dir)] : raw;
  return [...pictures, ...later(from), '-ss', String(from), ...sound, ...(await besideInputs(dir, spec))];
}

async function besideInputs(dir: string, spec: ClipSpec): Promise<string[]> {
  const { tracks } = spec;
  if (tracks === 'silent first' || tracks === 'two sounds')
    return ['-f', 'lavfi', '-t', String(secondsOf(spec)), '-i', `anullsrc=r=${RATE_HZ}:cl=mono`];
  if (tracks === 'cover') return ['-f', 'lavfi', '-i', 'color=0x8040C0:s=160x160:d=0.04:r=25'];
  if (tracks !== 'subtitles' && tracks !== 'data') return [];
  const path = join(dir, 'subtitles.srt');
  await writeFile(path, '1\n00:00:00,500 --> 00:00:01,500\nHello.\n\n2\n00:00:02,000 --> 00:00:03,000\nAgain.\n');
  return ['-i', path];
}

/** Returns the tracks of a clip in their order. */
export function mapsOf({ tracks, audio }: ClipSpec): string[] {
  const picture = ['-map', '0:v'];
  const sound = audio === 'none' ? [] : ['-map', '1:a'];
  const beside = audio === 'none' ? '1' : '2';
  switch (tracks) {
    case 'picture first':
      return [...picture, ...sound];
    case 'sound first':
      return [...sound, ...picture];
    case 'silent first':
      return [...picture, '-map', `${beside}:a`, ...sound];
    case 'two sounds':
      return [...picture, ...sound, '-map', `${beside}:a`];
    case 'unknown first':
      return [...picture, ...sound, ...sound];
    case 'two pictures':
      return [...picture, ...sound, ...picture];
    case 'cover':
      return [...picture, ...sound, '-map', `${beside}:v`];
    case 'data':
    case 'subtitles':
      return [...picture, ...sound, '-map', `${beside}:s`];
  }
}

const COVER = ['-c:v:1', 'mjpeg', '-filter:v:1', 'format=yuvj420p', '-disposition:v:1', 'attached_pic'];

export function videoOptions(spec: ClipSpec): string[] {
  // At a constant rate, ffmpeg would show a late picture from the start.
  const isFree = spec.rate === 'variable' || spec.edit === 'late picture';
  const rate = isFree ? ['-fps_mode', 'vfr', '-enc_time_base', '1/1000'] : [];
  const data = spec.tracks === 'data' ? ['-timecode', '01:00:00:00'] : [];
  const encoding = [...rate, ...data, '-filter:v:0', videoFilters(spec), ...videoEncoding(spec)];
  if (spec.tracks === 'two pictures') return [...encoding, '-filter:v:1', `${videoFilters(spec)},negate`];
  return spec.tracks === 'cover' ? [...encoding, ...COVER, '-frames:v:1', '1'] : encoding;
}

export function soundOptions(spec: ClipSpec): string[] {
  const { audio, sound, tracks } = spec;
  const text = tracks === 'data' || tracks === 'subtitles' ? ['-c:s', isMp4(spec) ? 'mov_text' : 'webvtt'] : [];
  if (audio === 'none') return text;
  const end = sound === 'ends early' ? EARLY_END_SEC : secondsOf(spec);
  // ffmpeg cannot filter AMR here.
  if (audio === 'amr') return [...AUDIO_ENCODING.amr, '-t', String(end), ...text];
  const gap = GAPS[sound];
  const filters = [
    `atrim=end=${end}`,
    ...(gap ? [`aselect='lt(t,${gap[0]})+gt(t,${gap[1]})'`] : []),
    ...(sound === 'out of phase' ? ['pan=stereo|c0=c0|c1=-1*c0'] : []),
    ...(sound === 'surround' ? ['pan=5.1|FC=c0'] : []),
  ];
  // The indexes of the sounds that contain words.
  const which = { 'silent first': [1], 'unknown first': [0, 1] }[tracks as string] ?? [0];
  const filtered = which.flatMap(nth => [`-filter:a:${nth}`, filters.join(',')]);
  const unknown = tracks === 'unknown first' ? ['-c:a:0', 'adpcm_ima_qt'] : [];
  return [...AUDIO_ENCODING[audio], ...unknown, ...filtered, ...text];
}
