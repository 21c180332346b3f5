import { completeSettings } from '@recording-request/contract/project-settings';
import type * as proto from '@recording-request/proto/projects/v1/projects';
import type { TranscriptionSettings } from '../domain/project.ts';
import type { Response } from '../domain/response.ts';

/**
 * Returns the message of a response. `now` has the project's current values of the settings that a response does not
 * copy at its start.
 */
export function messageOf(
  response: Response,
  now: TranscriptionSettings,
  completion?: proto.Completion,
): proto.Response {
  const { settings, terms, use } = response;
  const { transcriptionEnabled, transcriptionLanguage } = now;
  const held = use === 'held' || use === 'landed';
  return {
    responseSessionId: response.sessionId,
    linkId: response.linkId,
    projectId: response.projectId,
    ownerId: response.ownerId,
    link: response.link,
    settings: { ...completeSettings(settings), transcriptionEnabled, transcriptionLanguage },
    answers: response.answers.map(({ questionIndex, submissionId }) => ({ questionIndex, submissionId })),
    complete: response.complete,
    held,
    heldUntil: held ? response.heldUntil : undefined,
    completion,
    terms: terms ? { sha256: terms.sha256, text: settings.termsText, acceptedAt: terms.acceptedAt } : undefined,
  };
}
