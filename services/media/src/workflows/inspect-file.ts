import { DomainError } from '@recording-request/kit/errors';
import type { RunOptions } from '@recording-request/kit-ffmpeg/sandbox';
import { firstPicture, pictureBehind, ScanLimitError, scanPackets, statedSize } from '../adapters/ffprobe.ts';
import { firstStreams, type Inspection, inspectionOf } from '../domain/inspection.ts';
import { isTooLarge, TOO_LARGE_PICTURE } from '../domain/picture-limit.ts';
import type { Picture, Scan } from '../domain/scan.ts';
import { allOrAbort } from './all-or-abort.ts';

const NOT_A_VIDEO = 'This file is not a video that we can play; please record or choose another one.';
const UNDECODABLE = 'The picture of this video cannot be read; please record or choose another one.';

/** Inspects a local file. Rejects with `unprocessable` unless it is a video whose first picture can be decoded. */
export async function inspectFile(path: string, options: RunOptions): Promise<Inspection> {
  const { scan, picture } = await lookAt(path, options).catch(asNotAVideo);
  const inspection = inspectionOf(scan, picture);
  if (!inspection) throw new DomainError('unprocessable', NOT_A_VIDEO);
  // The container may state a wrong size, so the size of the decoded picture counts.
  if (isTooLarge(picture ?? inspection)) throw new DomainError('unprocessable', TOO_LARGE_PICTURE);
  if (!picture) {
    // ffprobe does not decode a picture beyond the limit and reports no size for it.
    const stated = await statedSize(path, options).catch(asNotAVideo);
    throw new DomainError('unprocessable', stated && isTooLarge(stated) ? TOO_LARGE_PICTURE : UNDECODABLE);
  }
  return inspection;
}

function asNotAVideo(error: unknown): never {
  if (error instanceof ScanLimitError) throw new DomainError('unprocessable', NOT_A_VIDEO, { cause: error });
  throw error;
}

/** Scans a file and decodes the first picture that it shows; `picture` is undefined when there is none. */
export async function lookAt(path: string, options: RunOptions): Promise<{ scan: Scan; picture: Picture | undefined }> {
  const [scan, early] = await allOrAbort(options.signal, [
    signal => scanPackets(path, { ...options, signal }),
    signal => firstPicture(path, { ...options, signal }),
  ]);
  const hidden = firstStreams(scan).video?.hidden ?? 0;
  const picture = early ?? (hidden > 0 ? await pictureBehind(path, hidden, options) : undefined);
  return { scan, picture };
}
