import type { ReleaseResponseRequest, ReleaseResponseResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { releaseResponse as release } from '../workflows/release-response.ts';
import { parseResponseKey } from './parse.ts';

export const releaseResponse =
  (context: Context) =>
  async (request: ReleaseResponseRequest): Promise<ReleaseResponseResponse> => ({
    released: await release(context, parseResponseKey(request)),
  });
