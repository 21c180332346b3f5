import type { GetResponseRequest, GetResponseResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { decidedResponse, keyOf } from '../workflows/claim-use.ts';
import { toResponse } from './response-messages.ts';

export const getResponse =
  (context: Context) =>
  async ({ linkId, responseSessionId }: GetResponseRequest): Promise<GetResponseResponse> => {
    const response = await decidedResponse(context, keyOf(linkId, responseSessionId));
    return { response: await toResponse(context, response) };
  };
