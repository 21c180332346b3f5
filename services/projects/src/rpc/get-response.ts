import type { GetResponseRequest, GetResponseResponse } from '@recording-request/proto/projects/v1/projects';
import { decidedResponse, keyOf } from './claim-use.ts';
import type { Context } from './context.ts';
import { toResponse } from './response-messages.ts';

export const getResponse =
  (context: Context) =>
  async ({ linkId, responseSessionId }: GetResponseRequest): Promise<GetResponseResponse> => {
    const response = await decidedResponse(context, keyOf(linkId, responseSessionId));
    return { response: await toResponse(context, response) };
  };
