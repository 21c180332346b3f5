import type { ForgetReferenceRequest, ForgetReferenceResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { forgetPerson } from '../workflows/forget-person.ts';

export const forgetReference =
  (context: Context) =>
  async ({ projectId, origin, dryRun }: ForgetReferenceRequest): Promise<ForgetReferenceResponse> => {
    const { linkId = '', responseSessionId = '' } = origin ?? {};
    return await forgetPerson(context, { projectId, linkId, responseSessionId }, dryRun);
  };
