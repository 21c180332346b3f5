import type { Context } from '../../context.ts';
import type { Upload } from '../../domain/uploads/upload.ts';
import { removeEnded } from './upload-bytes.ts';

// This many ended uploads stay, so that a contributor sees why the last tries were refused.
const ENDED_KEPT = 20;

/**
 * Removes ended uploads of a response that did not land, except for the newest. Otherwise a client that is refused
 * repeatedly would leave one record per try until the hold ends. The remaining uploads release the response's use when
 * they expire.
 */
export async function forgetEnded(
  context: Pick<Context, 'uploads' | 'submissions' | 'objects' | 'backupHold'>,
  { linkId, responseId, projectId }: Upload,
): Promise<void> {
  const { uploads, backupHold } = context;
  const older = await uploads.endedBefore({ linkId, responseId, projectId }, ENDED_KEPT);
  // Keeps all of them while a backup runs, because the backup may need some. When the response's next upload ends, this
  // function checks them again.
  if (older.length === 0 || (await backupHold.isHeld())) return;
  for (const upload of older) {
    await removeEnded(context, upload);
    await uploads.delete(upload);
  }
}
