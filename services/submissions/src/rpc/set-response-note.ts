import { DomainError } from '@recording-request/kit/errors';
import type {
  SetResponseNoteRequest,
  SetResponseNoteResponse,
} from '@recording-request/proto/submissions/v1/submissions';
import { checkNote } from '../domain/upload.ts';
import type { Eraser } from '../erasure.ts';
import type { UploadStore } from '../store/uploads.ts';

export const setResponseNote =
  (uploads: UploadStore, eraser: Pick<Eraser, 'refuseNotes'>) =>
  async (request: SetResponseNoteRequest): Promise<SetResponseNoteResponse> => {
    const { projectId, linkId, responseSessionId: responseId, questionIndex, note } = request;
    checkNote(note);
    if (!(await uploads.setNote({ projectId, linkId, responseId, questionIndex }, note)))
      throw new DomainError('gone', 'The note can be changed only before its clip has been sent.');
    await eraser.refuseNotes(projectId);
    return {};
  };
