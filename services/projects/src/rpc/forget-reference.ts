import type { ForgetReferenceRequest, ForgetReferenceResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { responseKey } from '../domain/response.ts';

export const forgetReference =
  ({ store }: Context) =>
  async ({ projectId, origin, dryRun }: ForgetReferenceRequest): Promise<ForgetReferenceResponse> => {
    const { linkId = '', responseSessionId = '' } = origin ?? {};
    // An id that names no response must not stop the erasure of a clip.
    const responseId = responseKey(linkId, responseSessionId);
    const removed = await (dryRun ? store.people.hasReference : store.people.forget)(projectId, responseId);
    return { references: removed ? 1 : 0 };
  };
