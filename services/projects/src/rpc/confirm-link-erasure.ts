import type {
  ConfirmLinkErasureRequest,
  ConfirmLinkErasureResponse,
} from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { confirmLinkErasure as confirm } from '../workflows/confirm-erasure.ts';

export const confirmLinkErasure =
  (context: Context) =>
  async (request: ConfirmLinkErasureRequest): Promise<ConfirmLinkErasureResponse> => {
    await confirm(context, request, request.confirm);
    return {};
  };
