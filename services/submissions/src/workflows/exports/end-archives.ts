import type { Context } from '../../context.ts';
import { archivePrefix, archivesPrefix } from '../../domain/object-keys.ts';
import { mapSettled } from '../map-settled.ts';
import { removeSource } from '../uploads/upload-bytes.ts';

type EndContext = Pick<Context, 'log' | 'archives' | 'objects' | 'submissions' | 'backupHold'>;

const PARTS = ['parts'] as const;
/** The maximum number of archives in one turn of the sweeper. */
const BATCH = 100;

/** Ends the archives of a project after an erasure in it, and removes their objects. */
export async function endArchives({ archives, objects }: Pick<EndContext, 'archives' | 'objects'>, projectId: string) {
  if ((await archives.end(projectId)) > 0) await objects.purge(archivesPrefix(projectId));
}

/** Removes expired archives, and the uploads that were kept for these archives. */
export async function removeArchives(context: EndContext): Promise<void> {
  const { log, archives, objects } = context;
  for (const { id, projectId } of await archives.due(BATCH)) {
    try {
      await objects.purge(archivePrefix(projectId, id), PARTS);
      await archives.remove({ id, projectId });
    } catch (error) {
      // If the store cannot remove one object, continue with the others.
      log.warn({ err: error, projectId }, 'An archive could not be removed; a later turn retries');
    }
  }
  await removeHeldSources(context);
}

async function removeHeldSources({ archives, objects, submissions, backupHold }: EndContext): Promise<void> {
  await mapSettled(await submissions.takeHeldSources(BATCH), async ({ id, projectId, source }) => {
    if ((await backupHold.isHeld()) || (await archives.holdsSources(projectId))) return;
    if (source) await removeSource(objects, source);
    await submissions.dropSource(projectId, id);
  });
}
