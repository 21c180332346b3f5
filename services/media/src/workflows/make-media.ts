import { join } from 'node:path';
import type { Logger } from '@recording-request/kit/log';
import type { RunOptions } from '@recording-request/kit-ffmpeg/sandbox';
import { chooseSound } from '../adapters/choose-sound.ts';
import {
  audioPath,
  type ClipFiles,
  hasThumbnail,
  makeAll,
  makeAudio,
  makeRemux,
  makeThumbnail,
  missingParts,
  removeBroken,
  sizeOf,
  thumbnailFiles,
  videoPath,
} from '../adapters/clip-files.ts';
import { FfmpegError } from '../adapters/ffmpeg.ts';
import { ScanLimitError } from '../adapters/ffprobe.ts';
import { type Difference, differences } from '../domain/compare.ts';
import { type Inspection, inspectionOf } from '../domain/inspection.ts';
import { planFor, type ThumbnailName } from '../domain/plan.ts';
import { type Missing, problemOf } from '../domain/problem.ts';
import { allOrAbort } from './all-or-abort.ts';
import { lookAt } from './inspect-file.ts';

/** A clip whose new video exists and is not yet compared with the upload. */
export interface BegunMedia {
  clip: ClipFiles;
  /** The inspection of the upload. */
  found: Inspection;
  /** True when there is a new video to compare. */
  hasVideo: boolean;
}

/** The files of a clip in the job's directory. */
export interface MadeMedia {
  /** The inspection of the stored video: the new video, or the upload if the upload remains the video. */
  inspection: Inspection;
  /** True when the new video equals the upload. Otherwise the upload remains the video. */
  isEqual: boolean;
  audio: string | undefined;
  thumbnails: Array<{ name: ThumbnailName; path: string }>;
  /** Sentences for the owner about missing parts; undefined when nothing is missing. */
  problem: string | undefined;
}

/** Nothing can be made from the clip: `message` is a sentence for the owner, `cause` is for the log. */
export class UnusableMediaError extends Error {}

export const NOT_PROCESSED = 'The video could not be processed; it is kept as it came.';
const NOT_A_VIDEO = 'The upload is not a video that can be played; it is kept as it came.';

/** If a moment has no picture, the service tries a moment this much earlier. */
const EARLIER_SEC = 0.5;

export type MakeOptions = RunOptions & { log: Logger };

/**
 * Makes the seekable video of the file `source` in `dir`. The same run makes the other outputs. Rejects with
 * UnusableMediaError.
 */
export async function beginMedia(
  { dir, known }: { dir: string; known: Inspection | undefined },
  { log, ...options }: MakeOptions,
): Promise<BegunMedia> {
  const source = join(dir, 'source');
  // Uses the counts from Inspect for the comparison, so that the upload is not read again.
  const found = known && known.tracks.length > 0 ? known : await inspectAgain(source, options);
  const sound = await chooseSound(source, found, options);
  const clip = { dir, source, sourceBytes: await sizeOf(source), plan: planFor(found), sound };
  return { clip, found, hasVideo: await makeFirst(clip, { ...options, log }) };
}

/**
 * Compares the new video with the upload and makes the missing parts. Does not change the video. Rejects with
 * UnusableMediaError when nothing could be made.
 */
export async function finishMedia(
  { clip, found, hasVideo }: BegunMedia,
  { log, ...options }: MakeOptions,
): Promise<MadeMedia> {
  // At the same time, checks the other files of the first run.
  const [compared] = await allOrAbort(options.signal, [
    signal => (hasVideo ? compare(clip, found, { ...options, signal }) : NO_VIDEO),
    () => removeBroken(clip),
  ]);
  const { different, inspection } = compared;
  if (different.length > 0)
    log.warn({ different: different.map(({ detail }) => detail) }, 'The copy differs; the upload remains the video');
  const isEqual = inspection !== undefined && different.length === 0;
  const video = isEqual
    ? { path: videoPath(clip), lastFrameSec: inspection.lastFrameSec }
    : { path: clip.source, lastFrameSec: found.lastFrameSec };
  await makeRest(clip, video, { ...options, log });
  const missing = await missingParts(clip);
  const thumbnails = await thumbnailFiles(clip);
  const audio = clip.plan.hasAudio && !missing.audio ? audioPath(clip) : undefined;
  if (!isEqual && !audio && thumbnails.length === 0) throw new UnusableMediaError(NOT_PROCESSED);
  const lacking: Missing = { copy: different, hasVideo, audio: missing.audio, thumbnails: thumbnails.length === 0 };
  return {
    inspection: isEqual ? inspection : found,
    isEqual,
    audio,
    thumbnails,
    problem: problemOf(lacking),
  };
}

async function inspectAgain(source: string, options: RunOptions): Promise<Inspection> {
  try {
    const { scan, picture } = await lookAt(source, options);
    const found = inspectionOf(scan, picture);
    if (!picture || !found) throw new UnusableMediaError(NOT_A_VIDEO);
    return found;
  } catch (error) {
    throw error instanceof ScanLimitError ? new UnusableMediaError(NOT_A_VIDEO, { cause: error }) : error;
  }
}

/** Returns whether a video was made. */
async function makeFirst(clip: ClipFiles, { log, ...options }: MakeOptions): Promise<boolean> {
  const attempt = attempts(log);
  return (
    (await attempt('everything in one run', makeAll(clip, options))) || attempt('the remux', makeRemux(clip, options))
  );
}

interface Compared {
  different: Difference[];
  inspection: Inspection | undefined;
}

const NO_VIDEO = Promise.resolve<Compared>({ different: [], inspection: undefined });

async function compare(clip: ClipFiles, before: Inspection, options: RunOptions): Promise<Compared> {
  const path = videoPath(clip);
  try {
    const { scan, picture } = await lookAt(path, options);
    const different = differences(before, scan, picture);
    if (!picture) different.push({ phrase: 'its picture', detail: 'its first picture cannot be decoded' });
    return { different, inspection: inspectionOf(scan, picture) };
  } catch (error) {
    if (!(error instanceof ScanLimitError)) throw error;
    return { different: [{ phrase: 'its picture', detail: error.message }], inspection: undefined };
  }
}

/**
 * Makes the parts that the first run did not complete, each in a separate run, so that one failure does not affect the
 * others.
 */
async function makeRest(
  clip: ClipFiles,
  { path, lastFrameSec }: { path: string; lastFrameSec: number },
  { log, ...options }: MakeOptions,
): Promise<void> {
  const missing = await missingParts(clip);
  const attempt = attempts(log);
  for (const moment of missing.moments) {
    const atSec = Math.min(moment.atSec, lastFrameSec);
    const make = (sec: number) =>
      attempt(`thumbnail ${moment.name}`, makeThumbnail(clip, { ...moment, atSec: sec }, path, options));
    await make(atSec);
    // The last picture of a truncated clip may be incomplete and yield no thumbnail.
    if (atSec > 0 && !(await hasThumbnail(clip, moment.name))) await make(Math.max(0, atSec - EARLIER_SEC));
  }
  if (missing.audio && clip.sound) await attempt('audio', makeAudio(clip, clip.sound, options));
  if (missing.audio || missing.moments.length > 0) await removeBroken(clip);
}

/** Returns whether ffmpeg made a part. Rejects when the clip did not cause the failure. */
const attempts = (log: Logger) => async (what: string, work: Promise<void>) => {
  try {
    await work;
    return true;
  } catch (error) {
    if (!(error instanceof FfmpegError)) throw error;
    log.warn({ err: error, what }, 'A part of the media could not be made');
    return false;
  }
};
