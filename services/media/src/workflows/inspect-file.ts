import { DomainError } from '@recording-request/kit/errors';
import type { RunOptions } from '@recording-request/kit/ffmpeg/sandbox';
import { firstPicture, ScanLimitError, scanPackets } from '../adapters/ffprobe.ts';
import { type Inspection, inspectionOf } from '../domain/inspection.ts';
import { allOrAbort } from './all-or-abort.ts';

const NOT_A_VIDEO = 'This file is not a video that we can play; please record or choose another one.';
const UNDECODABLE = 'The picture of this video cannot be read; please record or choose another one.';

/** Inspects a local file. Rejects with `unprocessable` unless it is a video whose first picture can be decoded. */
export async function inspectFile(path: string, options: RunOptions): Promise<Inspection> {
  const [scan, picture] = await allOrAbort(options.signal, [
    signal => scanPackets(path, { ...options, signal }),
    signal => firstPicture(path, { ...options, signal }),
  ]).catch(error => {
    if (error instanceof ScanLimitError) throw new DomainError('unprocessable', NOT_A_VIDEO, { cause: error });
    throw error;
  });
  const inspection = inspectionOf(scan, picture);
  if (!inspection) throw new DomainError('unprocessable', NOT_A_VIDEO);
  if (!picture) throw new DomainError('unprocessable', UNDECODABLE);
  return inspection;
}
