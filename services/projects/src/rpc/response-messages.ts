import type * as proto from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import type { Response } from '../domain/response.ts';
import { toSettings } from './project-messages.ts';

/** The message of a response; asks the project for the one setting that is not frozen with it. */
export async function toResponse({ store }: Pick<Context, 'store'>, response: Response): Promise<proto.Response> {
  return messageOf(response, await store.projects.transcribes(response.projectId));
}

export function messageOf(response: Response, transcriptionEnabled: boolean): proto.Response {
  const { settings, terms, use } = response;
  const held = use === 'held' || use === 'landed';
  return {
    responseSessionId: response.sessionId,
    linkId: response.linkId,
    projectId: response.projectId,
    ownerId: response.ownerId,
    settings: { ...toSettings(settings), transcriptionEnabled },
    answers: response.answers.map(({ questionIndex, submissionId }) => ({ questionIndex, submissionId })),
    complete: response.complete,
    held,
    heldUntil: held ? response.heldUntil : undefined,
    terms: terms ? { sha256: terms.sha256, text: settings.termsText, acceptedAt: terms.acceptedAt } : undefined,
  };
}
