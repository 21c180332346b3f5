import type { ProposeErasureRequest, ProposeErasureResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { proposeErasure as propose } from '../workflows/confirm-erasure.ts';

export const proposeErasure =
  (context: Context) =>
  (request: ProposeErasureRequest): Promise<ProposeErasureResponse> =>
    propose(context, request);
