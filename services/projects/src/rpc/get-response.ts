import type { GetResponseRequest, GetResponseResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { decidedResponse } from '../workflows/current-response.ts';
import { parseResponseKey } from './parse.ts';
import { toResponse } from './response-messages.ts';

export const getResponse =
  (context: Context) =>
  async (request: GetResponseRequest): Promise<GetResponseResponse> => {
    const response = await decidedResponse(context, parseResponseKey(request));
    return { response: await toResponse(context, response) };
  };
