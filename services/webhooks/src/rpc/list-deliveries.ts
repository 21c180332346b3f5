import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';
import { withSlot } from '@recording-request/kit/with-slot';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { ListDeliveriesRequest, ListDeliveriesResponse } from '@recording-request/proto/webhooks/v1/webhooks';
import type { Context } from '../context.ts';
import { decodeCursor, encodeCursor } from '../domain/cursor.ts';
import type { DeliveryRecord } from '../domain/delivery.ts';
import { toDelivery, toEndpoint } from './delivery-messages.ts';
import { requireUuid } from './require-uuid.ts';

const PAGE = { min: 1, max: LIMITS.pageSize };

/** Lists a project's deliveries, newest first. */
export const listDeliveries =
  ({ store, lists }: Context) =>
  async (request: ListDeliveriesRequest, { signal }: CallContext): Promise<ListDeliveriesResponse> => {
    const projectId = requireUuid(request.projectId, 'projectId');
    const { pageSize } = request;
    if (pageSize < PAGE.min || pageSize > PAGE.max)
      throw new DomainError('invalid', `limit must be from ${PAGE.min} to ${PAGE.max}.`);
    const after = request.cursor === '' ? undefined : decodeCursor(request.cursor);
    if (request.cursor !== '' && !after)
      throw new DomainError('invalid', 'cursor must be one that an earlier page gave.');
    const [found, endpoint] = await withSlot(lists, projectId, signal, () =>
      Promise.all([store.ledger.list(projectId, pageSize + 1, after), store.endpoints.get(projectId)]),
    );
    const page = found.slice(0, Math.min(pageSize, withAttempts(found)));
    return {
      deliveries: page.map(toDelivery),
      nextCursor: found.length > page.length ? encodeCursor(page.at(-1)!) : '',
      endpoint: endpoint && toEndpoint(endpoint),
    };
  };

// A delivery has up to 50 attempts, so a hundred deliveries can have a megabyte.
const ATTEMPTS_A_PAGE = 1_000;

/** Returns the number of deliveries that fit on a page with ATTEMPTS_A_PAGE attempts; at least one. */
function withAttempts(deliveries: readonly Pick<DeliveryRecord, 'attempts'>[]): number {
  let attempts = 0;
  const more = deliveries.findIndex(delivery => {
    attempts += delivery.attempts.length;
    return attempts > ATTEMPTS_A_PAGE;
  });
  return more < 0 ? deliveries.length : Math.max(1, more);
}
