import { DomainError } from '@recording-request/kit/errors';
import type { RedeliverRangeRequest, RedeliverRangeResponse } from '@recording-request/proto/webhooks/v1/webhooks';
import type { Context } from '../context.ts';
import { requireAddress } from './require-address.ts';
import { requireUuid } from './require-uuid.ts';

/**
 * Sends the events of a project or of a time range again, at most `max` events. A paused endpoint gets them when it
 * resumes.
 */
export const redeliverRange =
  (context: Context) =>
  async (request: RedeliverRangeRequest): Promise<RedeliverRangeResponse> => {
    const { config, clock, store, dispatcher } = context;
    const max = config.redeliverMax;
    const projectId = requireUuid(request.projectId, 'projectId');
    const { from, to, undeliveredOnly } = request;
    if (from && to && from >= to) throw new DomainError('invalid', 'from must be before to.');
    await requireAddress(context, projectId);
    const range = { ...(from ? { from } : {}), ...(to ? { to } : {}), undeliveredOnly };
    if (await store.ledger.hasMore(projectId, range, max))
      throw new DomainError(
        'invalid',
        `More than ${max.toLocaleString('en-US')} deliveries lie in that time; choose a shorter one with from and to.`,
      );
    const count = await store.ledger.sendRangeAgain(projectId, range, clock.now());
    dispatcher.wake();
    return { count };
  };
