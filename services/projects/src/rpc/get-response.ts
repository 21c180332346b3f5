import type { GetResponseRequest, GetResponseResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { NO_TRANSCRIPTION } from '../domain/project.ts';
import { noSuchResponse } from '../domain/response.ts';
import { completionOf } from '../workflows/completion.ts';
import { settledResponse } from '../workflows/current-response.ts';
import { parseResponseKey } from './parse.ts';
import { messageOf } from './response-messages.ts';

export const getResponse =
  (context: Context) =>
  async (request: GetResponseRequest): Promise<GetResponseResponse> => {
    const id = parseResponseKey(request);
    const found = await context.store.responses.findWithTranscription(id);
    if (!found) throw noSuchResponse();
    const { project, ...response } = found;
    const decided = response.use === 'claiming' ? await settledResponse(context, id) : response;
    const completion = request.withCompletion ? await completionOf(context, decided) : undefined;
    return { response: messageOf(decided, project[0]?.settings ?? NO_TRANSCRIPTION, completion) };
  };
