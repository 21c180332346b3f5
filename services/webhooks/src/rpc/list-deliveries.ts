import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';
import type { ListDeliveriesRequest, ListDeliveriesResponse } from '@recording-request/proto/webhooks/v1/webhooks';
import type { Context } from '../context.ts';
import { decodeCursor, encodeCursor } from '../domain/cursor.ts';
import { toDelivery, toEndpoint } from './delivery-messages.ts';
import { requireUuid } from './require-uuid.ts';

const PAGE = { min: 1, max: LIMITS.pageSize };

/** A project's deliveries, newest first. */
export const listDeliveries =
  ({ store }: Context) =>
  async (request: ListDeliveriesRequest): Promise<ListDeliveriesResponse> => {
    const projectId = requireUuid(request.projectId, 'projectId');
    const { pageSize } = request;
    if (pageSize < PAGE.min || pageSize > PAGE.max)
      throw new DomainError('invalid', `limit must be from ${PAGE.min} to ${PAGE.max}.`);
    const after = request.cursor === '' ? undefined : decodeCursor(request.cursor);
    if (request.cursor !== '' && !after)
      throw new DomainError('invalid', 'cursor must be one that an earlier page gave.');
    const [found, endpoint] = await Promise.all([
      store.ledger.list(projectId, pageSize + 1, after),
      store.endpoints.get(projectId),
    ]);
    const page = found.slice(0, pageSize);
    return {
      deliveries: page.map(toDelivery),
      nextCursor: found.length > pageSize ? encodeCursor(page.at(-1)!) : '',
      endpoint: endpoint && toEndpoint(endpoint),
    };
  };
