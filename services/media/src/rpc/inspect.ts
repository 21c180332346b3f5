import { join } from 'node:path';
import { DomainError } from '@recording-request/kit/errors';
import type { CallContext } from '@recording-request/kit/grpc-server';
import type { Objects } from '@recording-request/kit/objects';
import type { Inspection, InspectRequest, InspectResponse } from '@recording-request/proto/media/v1/media';
import { firstFrameDecodes, ScanLimitError, scanPackets } from '../adapters/ffprobe.ts';
import type { JobDirectories } from '../adapters/job-directory.ts';
import { fetchToFile, TooManyBytesError } from '../adapters/object-transfer.ts';
import type { Confinement, Running } from '../adapters/sandbox.ts';
import { inspectionOf } from '../domain/inspection.ts';
import { sideBySide } from '../workflows/all-or-abort.ts';
import type { Turns } from '../workflows/concurrency-limiter.ts';

export interface InspectRoom {
  objects: Objects;
  jobs: JobDirectories;
  confinement: Confinement;
  turns: Turns;
  limitMs: number;
  maxBytes: number;
}

const NOT_A_VIDEO = 'This file is not a video that we can play; please record or choose another one.';
const UNDECODABLE = 'The picture of this video cannot be read; please record or choose another one.';

/**
 * Looks at an object's packets. Errors: `unprocessable` with a sentence for the contributor, `too_large`, `not_found`,
 * `timeout`, `unavailable`.
 */
export async function inspect(
  { objectKey }: InspectRequest,
  call: CallContext,
  room: InspectRoom,
): Promise<InspectResponse> {
  if (objectKey === '') throw new DomainError('invalid', 'object_key names no object.');
  const limit = AbortSignal.timeout(room.limitMs);
  const signal = AbortSignal.any([call.signal, limit]);
  try {
    using _turn = await room.turns.take(signal);
    await using job = await room.jobs.open();
    const path = join(job.path, 'source');
    const size = await fetchToFile(room.objects, objectKey, path, { maxBytes: room.maxBytes, signal });
    if (size === undefined) throw new DomainError('not_found', 'There is no such object.');
    return { inspection: await inspectFile(path, { signal, confinement: room.confinement }) };
  } catch (error) {
    if (error instanceof DomainError) throw error;
    if (error instanceof TooManyBytesError)
      throw new DomainError('too_large', 'This file is too large.', { cause: error });
    if (call.signal.aborted) throw new DomainError('cancelled', 'The caller went away.', { cause: error });
    if (limit.aborted) throw new DomainError('timeout', 'Looking at the video took too long.', { cause: error });
    throw new DomainError('unavailable', 'The video cannot be looked at now; try again later.', { cause: error });
  }
}

/** What a local file shows. Rejects with `unprocessable` when that is no video of which a first picture can be decoded. */
export async function inspectFile(path: string, running: Running): Promise<Inspection> {
  const looks = [
    (signal: AbortSignal) => scanPackets(path, { ...running, signal }),
    (signal: AbortSignal) => firstFrameDecodes(path, { ...running, signal }),
  ] as const;
  const [scan, decodes] = await sideBySide(running.signal, [...looks]).catch(error => {
    if (error instanceof ScanLimitError) throw new DomainError('unprocessable', NOT_A_VIDEO, { cause: error });
    throw error;
  });
  const inspection = inspectionOf(scan);
  if (!inspection) throw new DomainError('unprocessable', NOT_A_VIDEO);
  if (!decodes) throw new DomainError('unprocessable', UNDECODABLE);
  return inspection;
}
