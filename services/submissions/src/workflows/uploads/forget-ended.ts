import type { Context } from '../../context.ts';
import type { Upload } from '../../domain/uploads/upload.ts';
import { removeEnded } from './upload-bytes.ts';

// A contributor who tries again and again sees why the last ones were refused.
const KEPT = 20;

/**
 * Removes the uploads of a response that ended without landing, but for the newest: otherwise a sender who is refused again and again
 * leaves a record each time, for as long as uploads are held. Those that remain release the response's use in the end.
 */
export async function forgetEnded(
  context: Pick<Context, 'uploads' | 'submissions' | 'objects' | 'backupHold'>,
  { linkId, responseId, projectId }: Upload,
): Promise<void> {
  const { uploads, backupHold } = context;
  const older = await uploads.endedBefore({ linkId, responseId, projectId }, KEPT);
  // A backup may still keep some: the next upload that ends looks again.
  if (older.length === 0 || (await backupHold.isHeld())) return;
  for (const upload of older) {
    await removeEnded(context, upload);
    await uploads.delete(upload);
  }
}
