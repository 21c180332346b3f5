import type { EraseOwnerEventsRequest, EraseOwnerEventsResponse } from '@recording-request/proto/operator/v1/webhooks';
import type { Context } from '../context.ts';
import { requireUuid } from './require-uuid.ts';

/** Deletes the feed of an owner. */
export const eraseOwnerEvents =
  ({ clock, store }: Pick<Context, 'clock' | 'store'>) =>
  async (request: EraseOwnerEventsRequest): Promise<EraseOwnerEventsResponse> => {
    const ownerId = requireUuid(request.ownerId, 'ownerId');
    const events = request.dryRun
      ? await store.feed.countOwner(ownerId)
      : await store.feed.eraseOwner(ownerId, clock.now());
    return { events };
  };
