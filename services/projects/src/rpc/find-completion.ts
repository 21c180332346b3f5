import type { FindCompletionRequest, FindCompletionResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { codeAsWritten } from '../domain/completion-code.ts';
import { noSuchProject } from '../domain/project.ts';
import { linkOf, sessionOf } from '../store/responses.ts';

export const findCompletion =
  ({ store }: Context) =>
  async ({ ownerId, projectId, code }: FindCompletionRequest): Promise<FindCompletionResponse> => {
    const [project, responseId] = await Promise.all([
      store.projects.nameOf(ownerId, projectId),
      store.codes.find(projectId, codeAsWritten(code)),
    ]);
    if (!project) throw noSuchProject();
    if (responseId === undefined) return {};
    return { origin: { linkId: linkOf(responseId), responseSessionId: sessionOf(responseId) } };
  };
