import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';
import type {
  SetResponseNoteRequest,
  SetResponseNoteResponse,
} from '@recording-request/proto/submissions/v1/submissions';
import type { Context } from '../../context.ts';
import { checkNote } from '../../domain/uploads/upload-metadata.ts';
import { refuseNoteIfErased } from '../../workflows/erasure/erased-projects.ts';

export const setResponseNote =
  (context: Pick<Context, 'notes' | 'erasures' | 'projects'>) =>
  async (request: SetResponseNoteRequest): Promise<SetResponseNoteResponse> => {
    const { projectId, linkId, responseSessionId, questionIndex, note } = request;
    checkNote(note, LIMITS.noteLength);
    const { notes, projects } = context;
    const { response } = await projects.getResponse({ linkId, responseSessionId });
    // Checks the response too, because an erased clip has no upload that would show that the clip was sent.
    const isSent =
      questionIndex === undefined
        ? response!.complete
        : response!.answers.some(answer => answer.questionIndex === questionIndex);
    if (isSent || !(await notes.set({ projectId, linkId, responseId: responseSessionId, questionIndex }, note)))
      throw new DomainError('gone', 'The note can be changed only before its clip has been sent.');
    await refuseNoteIfErased(context, { projectId, linkId });
    return {};
  };
