import type { ConfirmErasureRequest, ConfirmErasureResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { confirmErasure as confirm } from '../workflows/confirm-erasure.ts';

export const confirmErasure =
  (context: Context) =>
  async (request: ConfirmErasureRequest): Promise<ConfirmErasureResponse> => {
    await confirm(context, request, request.confirm);
    return {};
  };
