import { DomainError } from '@recording-request/kit/errors';
import type { RedeliverRangeRequest, RedeliverRangeResponse } from '@recording-request/proto/webhooks/v1/webhooks';
import type { Store } from '../store/store.ts';
import type { Dispatcher } from '../workflows/dispatch.ts';
import { uuid } from './require-uuid.ts';

/** Sends the events of a project or of a time range again, at most `max` of them. To a paused endpoint they go once it is back. */
export const redeliverRange =
  ({ ledger }: Store, dispatcher: Dispatcher, max: number) =>
  async (request: RedeliverRangeRequest): Promise<RedeliverRangeResponse> => {
    const projectId = uuid(request.projectId, 'projectId');
    const { from, to, undeliveredOnly } = request;
    if (from && to && from >= to) throw new DomainError('invalid', 'from must be before to.');
    const range = { ...(from ? { from } : {}), ...(to ? { to } : {}), undeliveredOnly };
    if (await ledger.hasMore(projectId, range, max))
      throw new DomainError(
        'invalid',
        `More than ${max.toLocaleString('en-US')} deliveries lie in that time; choose a shorter one with from and to.`,
      );
    const count = await ledger.sendRangeAgain(projectId, range, new Date());
    dispatcher.wake();
    return { count };
  };
