import { DomainError } from '@recording-request/kit/errors';
import type {
  SetResponseNoteRequest,
  SetResponseNoteResponse,
} from '@recording-request/proto/submissions/v1/submissions';
import type { UploadStore } from '../store/uploads.ts';

const NOTE_CHARACTERS = 2_000;

export const setResponseNote =
  (uploads: UploadStore) =>
  async (request: SetResponseNoteRequest): Promise<SetResponseNoteResponse> => {
    const { linkId, responseSessionId, questionIndex, note } = request;
    if (note.length > NOTE_CHARACTERS)
      throw new DomainError('invalid', `note must have at most ${NOTE_CHARACTERS} characters.`);
    if ((await uploads.setNote(linkId, responseSessionId, questionIndex, note)) === 0)
      throw new DomainError('gone', 'The note can be changed only before its clip has been sent.');
    return {};
  };
