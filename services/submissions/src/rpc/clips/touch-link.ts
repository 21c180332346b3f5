import type { TouchLinkRequest, TouchLinkResponse } from '@recording-request/proto/submissions/v1/submissions';
import type { Context } from '../../context.ts';

/**
 * Marks the clips of a link as changed, because the owner changed the link's invitation. Ends the archives of their
 * project: they contain the earlier person, whom the owner may have removed.
 */
export const touchLink =
  ({ submissions, archives }: Pick<Context, 'submissions' | 'archives'>) =>
  async ({ ownerId, projectId, linkId }: TouchLinkRequest): Promise<TouchLinkResponse> => {
    if ((await submissions.touch(ownerId, projectId, linkId)) > 0) await archives.end(projectId);
    return {};
  };
