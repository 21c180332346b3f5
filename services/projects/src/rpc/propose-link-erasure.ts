import type {
  ProposeLinkErasureRequest,
  ProposeLinkErasureResponse,
} from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { proposeLinkErasure as propose } from '../workflows/confirm-erasure.ts';

export const proposeLinkErasure =
  (context: Context) =>
  (request: ProposeLinkErasureRequest): Promise<ProposeLinkErasureResponse> =>
    propose(context, request);
