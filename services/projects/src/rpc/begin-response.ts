import { uuidv7 } from '@recording-request/kit/ids';
import type { BeginResponseRequest, BeginResponseResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { beginResponse as begin } from '../workflows/begin-response.ts';
import { parseSession } from './parse.ts';
import { messageOf } from './response-messages.ts';

export const beginResponse =
  (context: Context) =>
  async ({
    linkId,
    projectId,
    responseSessionId,
    termsAccepted,
  }: BeginResponseRequest): Promise<BeginResponseResponse> => {
    const sessionId = responseSessionId === '' ? uuidv7() : parseSession(responseSessionId);
    const { response, project } = await begin(context, { linkId, projectId, sessionId, termsAccepted });
    return { response: messageOf(response, project.settings) };
  };
