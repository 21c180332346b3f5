import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { LandClipRequest, LandClipResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { landClip as land } from '../workflows/land-clip.ts';
import { parseResponseKey } from './parse.ts';

export const landClip =
  (context: Context) =>
  async (request: LandClipRequest, call: CallContext): Promise<LandClipResponse> => {
    const { questionIndex, submissionId } = request;
    if (!isUuid(submissionId)) throw new DomainError('invalid', 'submission_id must be a UUID.');
    const clip = { responseId: parseResponseKey(request), questionIndex, submissionId };
    const { landed, response } = await land(context, clip, call.log);
    return { landed, complete: response.complete };
  };
