import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunOptions } from '@recording-request/kit-ffmpeg/sandbox';
import { type Moment, type Plan, THUMBNAILS, type ThumbnailName } from '../domain/plan.ts';
import type { ChosenSound } from '../domain/sound.ts';
import { type FfmpegCall, runFfmpeg } from './ffmpeg.ts';
import { isWholeM4a } from './m4a-file.ts';

/** A clip in a job's directory: the upload and the files made from it. */
export interface ClipFiles {
  dir: string;
  source: string;
  sourceBytes: number;
  plan: Plan;
  /** Undefined when no sound can be decoded. */
  sound: ChosenSound | undefined;
}

// Removes tags, because they may name a device or a place. Removes random values, so that the same upload always gives
// the same bytes.
const PLAIN = ['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact', '-flags', '+bitexact'];
// The container may round the time of a key frame by up to this much.
const ROUNDING_SEC = 0.002;
// The length of the piece that ffmpeg reads for a picture: the key frame, and a margin because its stated time may be
// slightly wrong.
const PICTURE_SEC = 0.1;
// Fills a late start, and gaps of 30 ms or more, with silence, so that the sound's times match the clip. In 16-bit
// samples, fading sound becomes zero; numbers near zero would need many times as much CPU time.
const AUDIO_FILTER = 'aresample=async=1:min_hard_comp=0.03:first_pts=0:osf=s16';
const AUDIO_ENCODING = ['-c:a', 'aac', '-ac', '1', '-b:a', '64k'];
/** Below the size limit of speech-to-text, with a margin. */
const AUDIO_MAX_BYTES = 24_000_000;

export const videoPath = ({ dir, plan }: ClipFiles) => join(dir, `video.${plan.container}`);
export const audioPath = ({ dir }: ClipFiles) => join(dir, 'audio.m4a');
export const thumbnailPath = ({ dir }: ClipFiles, name: ThumbnailName) => join(dir, `thumbnail-${name}.jpg`);

/** Makes the remux, the audio and the key-frame thumbnails in one run. */
export function makeAll(clip: ClipFiles, options: RunOptions): Promise<void> {
  const { plan, source, sound } = clip;
  const moments = plan.moments.filter(({ from }) => from === 'keyFrame');
  const outputs = [
    remuxOutput(clip),
    ...(sound ? [audioOutput(clip, sound, soundInput(plan))] : []),
    ...moments.map((moment, at) => thumbnailOutput(clip, moment, soundInput(plan) + 1 + at)),
  ];
  // Opens the file once per picture. Each reader decodes only key frames, up to its picture. A shared reader would
  // decode all key frames during the whole remux.
  const inputs = [
    ...readersOf(clip),
    ...moments.map(moment => ({ path: source, options: pictureOptions(moment, plan) })),
  ];
  return runFfmpeg({ purpose: 'all', inputs, outputs }, options);
}

/** Makes only the remux. Used after ffmpeg failed at the audio or the thumbnails. */
export function makeRemux(clip: ClipFiles, options: RunOptions): Promise<void> {
  return runFfmpeg({ purpose: 'remux', inputs: readersOf(clip), outputs: [remuxOutput(clip)] }, options);
}

/** Makes a thumbnail of any frame. This is fast if ffmpeg can seek in `video`. */
export function makeThumbnail(clip: ClipFiles, moment: Moment, video: string, options: RunOptions): Promise<void> {
  const inputs = [{ path: video, options: ['-ss', String(beginOf(moment))] }];
  return runFfmpeg({ purpose: 'thumbnails', inputs, outputs: [thumbnailOutput(clip, moment, 0)] }, options);
}

/** Makes the audio from the upload. */
export function makeAudio(clip: ClipFiles, sound: ChosenSound, options: RunOptions): Promise<void> {
  const outputs = [audioOutput(clip, sound, 0)];
  return runFfmpeg({ purpose: 'audio', inputs: [{ path: clip.source }], outputs }, options);
}

export const hasThumbnail = async (clip: ClipFiles, name: ThumbnailName): Promise<boolean> =>
  (await sizeOf(thumbnailPath(clip, name))) > 0;

/** Returns the planned parts that are missing or unusable. */
export async function missingParts(clip: ClipFiles): Promise<{ moments: Moment[]; audio: boolean }> {
  const sizes = await Promise.all(clip.plan.moments.map(({ name }) => sizeOf(thumbnailPath(clip, name))));
  const audioBytes = await sizeOf(audioPath(clip));
  return {
    moments: clip.plan.moments.filter((_, at) => sizes[at] === 0),
    audio: clip.plan.hasAudio && (audioBytes === 0 || audioBytes > AUDIO_MAX_BYTES),
  };
}

/**
 * Removes truncated parts, because on a full disk ffmpeg may still report success. A complete JPEG ends with its end
 * marker.
 */
export async function removeBroken(clip: ClipFiles): Promise<void> {
  const pictures = clip.plan.moments.map(({ name }) => thumbnailPath(clip, name));
  for (const path of pictures) if ((await sizeOf(path)) > 0 && !(await endsAsJpeg(path))) await rm(path);
  const audio = audioPath(clip);
  if ((await sizeOf(audio)) > 0 && !(await isWholeM4a(audio))) await rm(audio);
}

async function endsAsJpeg(path: string): Promise<boolean> {
  const bytes = await readFile(path);
  return bytes.length > 2 && bytes.readUInt16BE(bytes.length - 2) === 0xffd9;
}

/** Returns the thumbnails for start, middle and end. Uses another thumbnail in place of a missing one. */
export async function thumbnailFiles(clip: ClipFiles): Promise<Array<{ name: ThumbnailName; path: string }>> {
  const { moments } = await missingParts(clip);
  const made = THUMBNAILS.filter(name => !moments.some(moment => moment.name === name));
  return made.length === 0
    ? []
    : THUMBNAILS.map(name => ({ name, path: thumbnailPath(clip, made.includes(name) ? name : made.at(-1)!) }));
}

/** Returns the bytes of a file; 0 when it does not exist. */
export async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(error => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  return found?.size ?? 0;
}

// A hostile index may repeat the same bytes, so no output may be much larger than the upload.
const bounded = ({ sourceBytes }: ClipFiles) => ['-fs', String(sourceBytes * 2 + 16 * 1024 * 1024)];

/** Returns the readers of the upload: one for video and sound, or one for each. */
const readersOf = ({ source, plan }: ClipFiles): FfmpegCall['inputs'] =>
  Array.from({ length: soundInput(plan) + 1 }, () => ({ path: source }));

/** Returns the index of the sound's reader. */
const soundInput = ({ readApart }: Plan) => Number(readApart);

function remuxOutput(clip: ClipFiles): FfmpegCall['outputs'][number] {
  const { container, videoTag, hasAudio } = clip.plan;
  // Puts the index at the front of the file, where players read first.
  const index = container === 'webm' ? ['-cues_to_front', '1'] : ['-movflags', '+faststart'];
  const tag = videoTag ? ['-tag:v', videoTag] : [];
  const maps = ['-map', '0:V', ...(hasAudio ? ['-map', `${soundInput(clip.plan)}:a`] : [])];
  // Allows features that are not yet in the MP4 standard, such as Dolby Vision metadata and FLAC.
  const copy = ['-c', 'copy', '-strict', 'experimental'];
  return { path: videoPath(clip), options: [...maps, ...copy, ...tag, ...PLAIN, ...index, ...bounded(clip)] };
}

function audioOutput(clip: ClipFiles, { stream, channel }: ChosenSound, input: number): FfmpegCall['outputs'][number] {
  const alone = channel === undefined ? '' : `aformat=channel_layouts=stereo,pan=mono|c0=c${channel},`;
  const encoding = ['-af', `${alone}${AUDIO_FILTER}`, ...AUDIO_ENCODING, '-t', String(clip.plan.audioSec)];
  const options = ['-map', `${input}:${stream}`, ...encoding, ...PLAIN, '-movflags', '+faststart', ...bounded(clip)];
  return { path: audioPath(clip), options };
}

const beginOf = ({ atSec }: Pick<Moment, 'atSec'>) => Math.max(0, atSec - ROUNDING_SEC);

/**
 * If the first time in the file is known, skips the probing of streams, because probing decodes a picture for each
 * reader. Without probing, ffmpeg counts `-ss` from zero on the file's own clock, so this function adds the first time.
 */
function pictureOptions(moment: Moment, { startSec }: Plan): string[] {
  const range = ['-ss', String((startSec ?? 0) + beginOf(moment)), '-t', String(PICTURE_SEC), '-skip_frame', 'nokey'];
  return startSec === undefined ? range : ['-nofind_stream_info', ...range];
}

function thumbnailOutput(clip: ClipFiles, { name }: Moment, input: number): FfmpegCall['outputs'][number] {
  const options = [
    '-map',
    `${input}:V:0`,
    '-vf',
    clip.plan.thumbnailFilter,
    '-frames:v',
    '1',
    '-q:v',
    '4',
    ...PLAIN,
    '-f',
    'mjpeg',
  ];
  return { path: thumbnailPath(clip, name), options };
}
