import type { OwnerEvent } from '@recording-request/proto/webhooks/v1/webhooks';
import { isoDate } from '../dates.ts';
import type { OwnerEventJson } from '../resources/owner-event.ts';

export function presentOwnerEvent(event: OwnerEvent): OwnerEventJson {
  const { eventId, type, projectId, erased } = event;
  return {
    ...{ eventId, type, createdAt: isoDate(event.createdAt, 'createdAt'), projectId },
    submissionId: event.submissionId || null,
    tokenId: event.tokenId || null,
    erased,
    data: event.data === '' ? null : JSON.parse(event.data),
  };
}
