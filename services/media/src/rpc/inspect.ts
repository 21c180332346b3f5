import { join } from 'node:path';
import { callScope } from '@recording-request/kit/call-scope';
import { DomainError } from '@recording-request/kit/errors';
import type { Path } from '@recording-request/kit/fair-slots';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import { noteSubject, subjectOfKey } from '@recording-request/kit-telemetry/subject';
import type { InspectRequest, InspectResponse } from '@recording-request/proto/media/v1/media';
import { downloadUpload, ObjectTooLargeError } from '../adapters/object-transfer.ts';
import type { Context } from '../context.ts';
import { inspectFile } from '../workflows/inspect-file.ts';

/**
 * Scans the packets of an upload. Fails with `unprocessable` and a sentence for the contributor, `too_large`,
 * `not_found`, `timeout` or `unavailable`. Fails with `too_many` when no slot is free in time.
 */
export const inspect =
  ({ config, objects, jobs, sandbox, inspectSlots }: Context) =>
  async (
    { objectKey, parts, ownerId = '', linkId = '' }: InspectRequest,
    call: CallContext,
  ): Promise<InspectResponse> => {
    if (objectKey === '') throw new DomainError('invalid', 'object_key names no object.');
    noteSubject(subjectOfKey(objectKey));
    const limitMs = config.inspectSeconds * 1000;
    using _slot = await turnOf([ownerId, linkId], { inspectSlots, limitMs, gone: call.signal });
    const limit = AbortSignal.timeout(limitMs);
    const signal = AbortSignal.any([call.signal, limit]);
    try {
      await using job = await jobs.open();
      const path = join(job.path, 'source');
      const upload = { key: objectKey, parts };
      const size = await downloadUpload(objects, upload, path, { maxBytes: config.sourceMaxBytes, signal });
      if (size === undefined) throw new DomainError('not_found', 'There is no such object.');
      return { inspection: await inspectFile(path, { signal, sandbox }) };
    } catch (error) {
      if (error instanceof DomainError) throw error;
      if (error instanceof ObjectTooLargeError)
        throw new DomainError('too_large', 'This file is too large.', { cause: error });
      if (call.signal.aborted) throw new DomainError('cancelled', 'The caller went away.', { cause: error });
      if (limit.aborted) throw new DomainError('timeout', 'Looking at the video took too long.', { cause: error });
      throw new DomainError('unavailable', 'The video cannot be looked at now; try again later.', { cause: error });
    }
  };

/**
 * Waits for a slot for at most half of the call's remaining time: after its deadline, a caller could not distinguish a
 * queued inspection from a failed one.
 */
async function turnOf(
  path: Path,
  { inspectSlots, limitMs, gone }: Pick<Context, 'inspectSlots'> & { limitMs: number; gone: AbortSignal },
): Promise<Disposable> {
  const leftMs = (callScope.getStore()?.deadlineAt ?? Number.POSITIVE_INFINITY) - Date.now();
  const waited = AbortSignal.timeout(Math.max(0, Math.floor(Math.min(limitMs, leftMs / 2))));
  try {
    return await inspectSlots.take(path, AbortSignal.any([gone, waited]));
  } catch (error) {
    if (gone.aborted) throw new DomainError('cancelled', 'The caller went away.', { cause: error });
    throw new DomainError('too_many', 'Other videos are looked at first; try again later.', { cause: error });
  }
}
