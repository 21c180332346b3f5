import type { FindLinkRequest, FindLinkResponse } from '@recording-request/proto/operator/v1/projects';
import type { Context } from '../context.ts';
import { noSuchLink, sharedLinkStays } from '../domain/link.ts';

/** Finds the link of an erasure by the operator. */
export const findLink =
  ({ store }: Context) =>
  async ({ linkId }: FindLinkRequest): Promise<FindLinkResponse> => {
    const link = await store.linkErasures.findById(linkId);
    if (!link) throw noSuchLink();
    if (link.type === 'shared') throw sharedLinkStays();
    const { ownerId, projectId, erasedAt } = link;
    return { ownerId, projectId, erasedAt };
  };
