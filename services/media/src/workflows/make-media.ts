import { join } from 'node:path';
import type { RunOptions } from '@recording-request/kit/ffmpeg/sandbox';
import type { Logger } from '@recording-request/kit/log';
import {
  audioPath,
  type ClipFiles,
  makeAll,
  makeAudio,
  makeRemux,
  makeThumbnails,
  missingParts,
  removeBroken,
  sizeOf,
  thumbnailFiles,
  videoPath,
} from '../adapters/clip-files.ts';
import { FfmpegError } from '../adapters/ffmpeg.ts';
import { firstPicture, ScanLimitError, scanPackets } from '../adapters/ffprobe.ts';
import { type Inspection, inspectionOf } from '../domain/inspection.ts';
import { planFor, type ThumbnailName } from '../domain/plan.ts';
import { remuxFaults } from '../domain/verify.ts';
import { allOrAbort } from './all-or-abort.ts';

/** A clip whose video is made and not verified yet. `found` describes the upload. */
export interface BegunMedia {
  clip: ClipFiles;
  found: Inspection;
}

/** What there is beside the video, as files in the job's directory. `inspection` describes the video, which is verified. */
export interface MadeMedia {
  inspection: Inspection;
  audio: string | undefined;
  thumbnails: Array<{ name: ThumbnailName; path: string }>;
  /** Whether every part that the clip allows was made. */
  isWhole: boolean;
}

/** A clip that cannot be processed: `message` is a sentence for the owner, `cause` is for the log. */
export class UnusableMediaError extends Error {}

const NOT_A_VIDEO = 'The upload is not a video that can be played; it is kept as it came.';
export const NOT_PROCESSED = 'The video could not be processed; it is kept as it came.';

export type MakeOptions = RunOptions & { log: Logger };

/** Makes the seekable video of the file `source` in `dir`, and what the same run makes. Rejects with UnusableMediaError. */
export async function beginMedia(
  { dir, known }: { dir: string; known: Inspection | undefined },
  { log, ...options }: MakeOptions,
): Promise<BegunMedia> {
  const source = join(dir, 'source');
  try {
    // The remux is compared with what Inspect counted, so that the upload is not read through again.
    const found = known && known.videoPackets > 0 ? known : await inspectAgain(source, options);
    const clip = { dir, source, sourceBytes: await sizeOf(source), plan: planFor(found) };
    await makeFirst(clip, { ...options, log });
    return { clip, found };
  } catch (error) {
    throw asUnusable(error);
  }
}

/** Verifies the video and makes what is missing beside it; the video is only read. Rejects with UnusableMediaError. */
export async function finishMedia({ clip, found }: BegunMedia, { log, ...options }: MakeOptions): Promise<MadeMedia> {
  try {
    // What the first run made beside the video is looked at meanwhile.
    const [stored] = await allOrAbort(options.signal, [
      signal => verified(clip, found, { ...options, signal }),
      () => removeBroken(clip),
    ]);
    await makeRest(clip, stored, { ...options, log });
    const missing = await missingParts(clip);
    return {
      inspection: stored,
      audio: clip.plan.audio === 'none' || missing.audio ? undefined : audioPath(clip),
      thumbnails: await thumbnailFiles(clip),
      isWhole: missing.moments.length === 0 && !missing.audio,
    };
  } catch (error) {
    throw asUnusable(error);
  }
}

function asUnusable(error: unknown): unknown {
  if (error instanceof FfmpegError) return new UnusableMediaError(NOT_PROCESSED, { cause: error });
  if (error instanceof ScanLimitError) return new UnusableMediaError(NOT_A_VIDEO, { cause: error });
  return error;
}

async function inspectAgain(source: string, options: RunOptions): Promise<Inspection> {
  const scan = await scanPackets(source, options);
  const picture = inspectionOf(scan) && (await firstPicture(source, options));
  if (!picture) throw new UnusableMediaError(NOT_A_VIDEO);
  return inspectionOf(scan, picture)!;
}

async function makeFirst(clip: ClipFiles, { log, ...options }: MakeOptions): Promise<void> {
  try {
    await makeAll(clip, options);
  } catch (error) {
    if (!(error instanceof FfmpegError)) throw error;
    log.warn({ err: error }, 'One run for everything failed; the remux is made alone');
    await makeRemux(clip, options);
  }
}

async function verified(clip: ClipFiles, before: Inspection, options: RunOptions): Promise<Inspection> {
  const after = await scanPackets(videoPath(clip), options);
  const faults = remuxFaults(before, after);
  if (faults.length > 0)
    throw new UnusableMediaError(NOT_PROCESSED, { cause: new Error(`the remux: ${faults.join('; ')}`) });
  return inspectionOf(after)!;
}

/** Makes the parts that need the remux, and those that the first run has not made whole. A part that fails is left out. */
async function makeRest(clip: ClipFiles, stored: Inspection, { log, ...options }: MakeOptions): Promise<void> {
  const missing = await missingParts(clip);
  const attempt = async (what: string, work: Promise<void>) => {
    await work.catch(error => {
      if (!(error instanceof FfmpegError)) throw error;
      log.warn({ err: error, what }, 'A part of the media could not be made');
    });
  };
  if (missing.moments.length > 0)
    await attempt('thumbnails', makeThumbnails(clip, missing.moments, stored.lastFrameSec, options));
  if (missing.audio) await attempt('audio', makeAudio(clip, options));
  if (missing.audio || missing.moments.length > 0) await removeBroken(clip);
}
