import { DomainError } from '@recording-request/kit/errors';
import { isOutage } from '@recording-request/kit/outage';
import type { Upload, UploadState } from '../../domain/uploads/upload.ts';
import { mapSettled } from '../map-settled.ts';
import { type LandContext, resumeLanding } from './land-upload.ts';
import { removeEnded } from './upload-bytes.ts';

const BATCH = 100;

/** The projects service is down. Ends the turn, because every other upload would wait for it too. */
class ProjectsAwayError extends DomainError {}

const ENDS = { stopsOn: (error: unknown) => isOutage(error) || error instanceof ProjectsAwayError };

/** Removes bytes that were kept for a backup when the backup has ended. */
export async function removeKept(context: LandContext): Promise<void> {
  const { uploads, backupHold } = context;
  const ids = await backupHold.kept(BATCH);
  if (ids.length === 0 || (await backupHold.isHeld())) return;
  await mapSettled(ids, async id => {
    const upload = await uploads.findAnywhere(id);
    // Without a row, the upload has no bytes left.
    if (upload) await removeEnded(context, upload);
    await backupHold.forget(id);
  });
}

/** Ends uploads whose hold has expired. Salvages uploads that were sent; removes the others and releases their use. */
export async function endHolds(context: LandContext): Promise<void> {
  const { config, uploads } = context;
  const holdMs = config.uploadHoldSeconds * 1_000;
  // Keeps the use of an ended upload for as long as a use without bytes, because a contributor who ends an upload
  // usually starts another one.
  const endedMs = config.uploadEndedSeconds * 1_000;
  const each = async (state: UploadState, idleMs: number, end: (upload: Upload) => Promise<void>) =>
    void (await mapSettled(await uploads.idle(state, idleMs, BATCH), end, ENDS));
  const kinds = [
    () =>
      each('uploading', holdMs, async upload => {
        // Both calls check again that no request is writing to the upload.
        if (await uploads.salvage(upload, holdMs)) await resumeLanding(context, upload).catch(() => {});
        else if (await uploads.expire(upload, holdMs)) await remove(context, upload);
      }),
    () =>
      each('refused', holdMs, async upload => {
        // Changes the state before it removes the bytes, because an operator who retries the upload at this moment
        // needs them.
        if (await uploads.forget(upload, holdMs)) await remove(context, upload);
      }),
    () => each('deleted', endedMs, upload => remove(context, upload)),
  ];
  await mapSettled(kinds, kind => kind(), ENDS);
}

async function remove(context: LandContext, upload: Upload): Promise<void> {
  // The upload stays until a turn after the end of the backup.
  if (await context.backupHold.isHeld()) return;
  if (!upload.emptied) await releaseUse(context, upload);
  await removeEnded(context, upload);
  // A delivered upload is already `landed`, and `delete` does not change it.
  await context.uploads.delete(upload);
}

async function releaseUse({ uploads, projects }: LandContext, upload: Upload): Promise<void> {
  if (await uploads.hasOthers(upload)) return;
  // The projects service refuses this when a clip has landed, because the use is then final.
  await projects.releaseResponse({ linkId: upload.linkId, responseSessionId: upload.responseId }).catch(error => {
    if (!(error instanceof DomainError)) throw error;
    // The response was erased with its project, so there is nothing to release.
    if (error.code === 'not_found') return;
    const isAway = error.code === 'unavailable' || error.code === 'timeout';
    throw isAway ? new ProjectsAwayError(error.code, error.message, { cause: error }) : error;
  });
}
