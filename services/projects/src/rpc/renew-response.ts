import type { RenewResponseRequest, RenewResponseResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { renewResponse as renew } from '../workflows/renew-response.ts';
import { parseResponseKey } from './parse.ts';
import { toResponse } from './response-messages.ts';

export const renewResponse =
  (context: Context) =>
  async (request: RenewResponseRequest): Promise<RenewResponseResponse> => {
    const response = await renew(context, parseResponseKey(request));
    return { response: await toResponse(context, response) };
  };
