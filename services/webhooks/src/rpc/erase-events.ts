import type { EraseEventsRequest, EraseEventsResponse } from '@recording-request/proto/webhooks/v1/webhooks';
import type { Context } from '../context.ts';
import { type Erasable, isProject } from '../store/erasable.ts';
import { eraseEvents as erase, eraseProjectEvents, tallyEvents } from '../workflows/erase-events.ts';
import { requireUuid } from './require-uuid.ts';

/** Does the same as the consumers of the erasure's events, for an owner who waits for the result. */
export const eraseEvents =
  (context: Pick<Context, 'clock' | 'store'>) =>
  async (request: EraseEventsRequest): Promise<EraseEventsResponse> => {
    const which = whichOf(request);
    const eraseAll = () => (isProject(which) ? eraseProjectEvents(context, which.projectId) : erase(context, which));
    const erased = await (request.dryRun ? tallyEvents(context, which) : eraseAll());
    return { erased, total: await context.store.ledger.totalOf(which) };
  };

function whichOf(request: EraseEventsRequest): Erasable {
  const projectId = requireUuid(request.projectId, 'projectId');
  const { submissionId, linkId } = request;
  if (linkId !== '') return { projectId, origin: requireUuid(linkId, 'linkId') };
  return submissionId === '' ? { projectId } : { projectId, submissionId: requireUuid(submissionId, 'submissionId') };
}
