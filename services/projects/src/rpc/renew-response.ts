import type { RenewResponseRequest, RenewResponseResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { renewResponse as renew } from '../workflows/renew-response.ts';
import { parseResponseKey } from './parse.ts';

export const renewResponse =
  (context: Context) =>
  async (request: RenewResponseRequest): Promise<RenewResponseResponse> => {
    await renew(context, parseResponseKey(request));
    return {};
  };
