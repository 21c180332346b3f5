import { DomainError } from '@recording-request/kit/errors';
import type {
  SetResponseNoteRequest,
  SetResponseNoteResponse,
} from '@recording-request/proto/submissions/v1/submissions';
import { checkNote } from '../domain/upload.ts';
import type { UploadStore } from '../store/uploads.ts';

export const setResponseNote =
  (uploads: UploadStore) =>
  async (request: SetResponseNoteRequest): Promise<SetResponseNoteResponse> => {
    const { linkId, responseSessionId, questionIndex, note } = request;
    checkNote(note);
    if (!(await uploads.setNote(linkId, responseSessionId, questionIndex, note)))
      throw new DomainError('gone', 'The note can be changed only before its clip has been sent.');
    return {};
  };
