import { LIMITS } from '@recording-request/contract/limits';
import { referenceOf } from '@recording-request/contract/reference';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import type { BeginResponseRequest, BeginResponseResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { beginResponse as begin } from '../workflows/begin-response.ts';
import { completionOf } from '../workflows/completion.ts';
import { parseSession } from './parse.ts';
import { messageOf } from './response-messages.ts';

export const beginResponse =
  (context: Context) =>
  async ({
    linkId,
    projectId,
    responseSessionId,
    termsAccepted,
    reference = '',
  }: BeginResponseRequest): Promise<BeginResponseResponse> => {
    const sessionId = responseSessionId === '' ? uuidv7() : parseSession(responseSessionId);
    const { response, project } = await begin(context, {
      ...{ linkId, projectId, sessionId, termsAccepted },
      reference: checkedReference(reference),
    });
    return { response: messageOf(response, project.settings, await completionOf(context, response)) };
  };

/**
 * Returns the reference; undefined without one. The error sentence must not contain the value, because it may name a
 * person.
 */
function checkedReference(reference: string): string | undefined {
  const checked = referenceOf(reference);
  if (checked !== undefined || reference.trim() === '') return checked;
  const sentence = `reference must have at most ${LIMITS.recipientTextLength} characters, and no control characters.`;
  throw new DomainError('invalid', sentence);
}
