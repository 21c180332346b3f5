import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunOptions } from '@recording-request/kit-ffmpeg/sandbox';
import { type Moment, type Plan, THUMBNAILS, type ThumbnailName } from '../domain/plan.ts';
import type { ChosenSound } from '../domain/sound.ts';
import { type FfmpegCall, runFfmpeg } from './ffmpeg.ts';
import { isWholeM4a } from './m4a-file.ts';

/** A clip in a job's directory: the upload, and beside it the files that are made of it. */
export interface ClipFiles {
  dir: string;
  source: string;
  sourceBytes: number;
  plan: Plan;
  /** Undefined where no sound can be decoded. */
  sound: ChosenSound | undefined;
}

// No tags of the device or the place; and nothing random, so that the same upload always gives the same bytes.
const PLAIN = ['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact', '-flags', '+bitexact'];
// A key frame's time may be rounded by the container.
const ROUNDING_SEC = 0.002;
// From a key frame on, so that one which a container dates a little differently is found, too.
const PICTURE_SEC = 0.1;
// Fills a late start, and gaps from 30 ms on, with silence, so that the sound's times are the clip's. 16 bits make zeros of sound that
// fades away: numbers that are almost zero take a processor many times as long.
const AUDIO_FILTER = 'aresample=async=1:min_hard_comp=0.03:first_pts=0:osf=s16';
const AUDIO_ENCODING = ['-c:a', 'aac', '-ac', '1', '-b:a', '64k'];
/** Below the limit of speech-to-text, with a margin. */
const AUDIO_MAX_BYTES = 24_000_000;

export const videoPath = ({ dir, plan }: ClipFiles) => join(dir, `video.${plan.container}`);
export const audioPath = ({ dir }: ClipFiles) => join(dir, 'audio.m4a');
export const thumbnailPath = ({ dir }: ClipFiles, name: ThumbnailName) => join(dir, `thumbnail-${name}.jpg`);

/** Makes everything in one run: the remux, the audio, and those thumbnails that are key frames. */
export function makeAll(clip: ClipFiles, options: RunOptions): Promise<void> {
  const { plan, source, sound } = clip;
  const moments = plan.moments.filter(({ from }) => from === 'keyFrame');
  const outputs = [
    remuxOutput(clip),
    ...(sound ? [audioOutput(clip, sound, soundInput(plan))] : []),
    ...moments.map((moment, at) => thumbnailOutput(clip, moment, soundInput(plan) + 1 + at)),
  ];
  // A reader of the same file for each picture. It decodes key frames only, and none after the picture: ffmpeg would go on with all of
  // them for as long as the remux takes.
  const inputs = [
    ...readersOf(clip),
    ...moments.map(moment => ({ path: source, options: pictureOptions(moment, plan) })),
  ];
  return runFfmpeg({ purpose: 'all', inputs, outputs }, options);
}

/** Makes the remux alone, where ffmpeg fails at the audio or the thumbnails. */
export function makeRemux(clip: ClipFiles, options: RunOptions): Promise<void> {
  return runFfmpeg({ purpose: 'remux', inputs: readersOf(clip), outputs: [remuxOutput(clip)] }, options);
}

/** Makes a thumbnail of any frame from a video, which is quick where ffmpeg can seek in it. */
export function makeThumbnail(clip: ClipFiles, moment: Moment, video: string, options: RunOptions): Promise<void> {
  const inputs = [{ path: video, options: ['-ss', String(beginOf(moment))] }];
  return runFfmpeg({ purpose: 'thumbnails', inputs, outputs: [thumbnailOutput(clip, moment, 0)] }, options);
}

/** Makes the audio from the upload. */
export function makeAudio(clip: ClipFiles, sound: ChosenSound, options: RunOptions): Promise<void> {
  const outputs = [audioOutput(clip, sound, 0)];
  return runFfmpeg({ purpose: 'audio', inputs: [{ path: clip.source }], outputs }, options);
}

/** Returns whether there is a thumbnail of this name. */
export const hasThumbnail = async (clip: ClipFiles, name: ThumbnailName): Promise<boolean> =>
  (await sizeOf(thumbnailPath(clip, name))) > 0;

/** Returns the planned parts that are missing or not usable. */
export async function missingParts(clip: ClipFiles): Promise<{ moments: Moment[]; audio: boolean }> {
  const sizes = await Promise.all(clip.plan.moments.map(({ name }) => sizeOf(thumbnailPath(clip, name))));
  const audioBytes = await sizeOf(audioPath(clip));
  return {
    moments: clip.plan.moments.filter((_, at) => sizes[at] === 0),
    audio: clip.plan.hasAudio && (audioBytes === 0 || audioBytes > AUDIO_MAX_BYTES),
  };
}

/** Removes truncated parts: when the disk is full, ffmpeg may still report success. A whole JPEG ends with its marker. */
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

/** Returns the thumbnails for start, middle and end; one that could not be made is replaced by another. */
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

// An index may point to the same bytes again and again: no output grows far beyond the upload.
const bounded = ({ sourceBytes }: ClipFiles) => ['-fs', String(sourceBytes * 2 + 16 * 1024 * 1024)];

/** The readers of the upload: of its video and sound, or of each. */
const readersOf = ({ source, plan }: ClipFiles): FfmpegCall['inputs'] =>
  Array.from({ length: soundInput(plan) + 1 }, () => ({ path: source }));

/** Which of them reads the sound. */
const soundInput = ({ readApart }: Plan) => Number(readApart);

function remuxOutput(clip: ClipFiles): FfmpegCall['outputs'][number] {
  const { container, videoTag, hasAudio } = clip.plan;
  // At the front, where a player reads the index first.
  const index = container === 'webm' ? ['-cues_to_front', '1'] : ['-movflags', '+faststart'];
  const tag = videoTag ? ['-tag:v', videoTag] : [];
  const maps = ['-map', '0:V', ...(hasAudio ? ['-map', `${soundInput(clip.plan)}:a`] : [])];
  // With what is not, or not yet, in the standard of MP4, such as Dolby Vision's description of its pictures, and FLAC.
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

/** Looking into a file's streams, ffmpeg decodes a picture for each reader, and counts times from where the file begins. */
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
