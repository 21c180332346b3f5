import { DomainError } from '@recording-request/kit/errors';
import type { ClientOf } from '@recording-request/kit/grpc-client';
import type { ProjectsServiceServer } from '@recording-request/proto/projects/v1/projects';
import type {
  SetResponseNoteRequest,
  SetResponseNoteResponse,
} from '@recording-request/proto/submissions/v1/submissions';
import { checkNote } from '../domain/upload.ts';
import type { UploadStore } from '../store/uploads.ts';
import type { Eraser } from '../workflows/erase-submission.ts';

export const setResponseNote =
  (
    uploads: UploadStore,
    eraser: Pick<Eraser, 'refuseNotes'>,
    projects: Pick<ClientOf<ProjectsServiceServer>, 'getResponse'>,
  ) =>
  async (request: SetResponseNoteRequest): Promise<SetResponseNoteResponse> => {
    const { projectId, linkId, responseSessionId, questionIndex, note } = request;
    checkNote(note);
    const { response } = await projects.getResponse({ linkId, responseSessionId });
    // Of a clip that was erased no upload tells any more.
    const isSent =
      questionIndex === undefined
        ? response!.complete
        : response!.answers.some(answer => answer.questionIndex === questionIndex);
    if (isSent || !(await uploads.setNote({ projectId, linkId, responseId: responseSessionId, questionIndex }, note)))
      throw new DomainError('gone', 'The note can be changed only before its clip has been sent.');
    await eraser.refuseNotes(projectId);
    return {};
  };
