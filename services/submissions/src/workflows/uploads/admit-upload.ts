import { LIMITS } from '@recording-request/contract/limits';
import type { Context } from '../../context.ts';
import { admittedUpload, OPEN_UPLOADS_MAX, tooManyOpen } from '../../domain/uploads/admission.ts';
import { type Caller, questionsOf, type Upload } from '../../domain/uploads/upload.ts';
import { parseUploadMetadata } from '../../domain/uploads/upload-metadata.ts';
import { refuseErased } from '../erasure/erased-projects.ts';

export interface UploadRequest {
  id: string;
  /** In bytes; undefined when the client declares it later. */
  length: number | undefined;
  /** `Upload-Metadata`, decoded. */
  metadata: Record<string, string | null> | undefined;
}

/** Creates an upload. Fails when its response does not exist or its question is not open. */
export async function admitUpload(
  context: Pick<Context, 'config' | 'log' | 'uploads' | 'notes' | 'erasures' | 'objects' | 'projects'>,
  caller: Caller,
  { id, length, metadata: rawMetadata }: UploadRequest,
): Promise<Upload> {
  const { uploads, notes, projects } = context;
  const metadata = parseUploadMetadata(rawMetadata, LIMITS);
  const { linkId } = caller;
  const { responseSessionId } = metadata;
  const [{ response }, underWay] = await Promise.all([
    projects.getResponse({ linkId, responseSessionId }),
    uploads.underWay({ ...caller, responseId: responseSessionId }),
  ]);
  const landing = questionsOf(underWay);
  const now = new Date();
  const upload = admittedUpload({ id, caller, metadata, length, response: response!, landing, now });
  if (!(await uploads.insert(upload, OPEN_UPLOADS_MAX, underWay))) throw tooManyOpen();
  // Runs after the insert, because a note or an erasure before the insert did not see this upload.
  if (await notes.passOn(upload)) await refuseErased(context, upload);
  return upload;
}
