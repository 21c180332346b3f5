import type { Consumer } from '@recording-request/kit-kafka/consumer';
import type { OwnerEvent } from '@recording-request/proto/events/v1/events';
import type { Context } from '../context.ts';
import type { FeedEvent } from '../domain/feed.ts';
import { appendToFeed } from '../workflows/append-to-feed.ts';

const JOB_LIMIT_MS = 20_000;
const OWNERS_AT_ONCE = 8;

/**
 * Appends the records of owners.events to the feeds. A record's key is its owner, so the consumer gets the events of
 * one owner one after the other.
 */
export function consumeFeed(context: Context): Promise<Consumer> {
  return context.kafka.consume({
    topic: 'owners.events',
    group: 'webhooks-feed',
    concurrency: OWNERS_AT_ONCE,
    jobLimitMs: JOB_LIMIT_MS,
    async handle({ id, payload }, { signal }) {
      if (payload?.$case === 'ownerEvent') await appendToFeed(context, feedEvent(id, payload.value), signal);
    },
  });
}

function feedEvent(id: string, event: OwnerEvent): FeedEvent {
  const { ownerId, projectId, submissionId, erasedSubmissionId, tokenId, eventType: type, data, dataBytes } = event;
  const { origin } = event;
  return {
    ...{ id, ownerId, type, projectId, submissionId, tokenId, dataBytes },
    createdAt: event.createdAt!,
    ...(erasedSubmissionId !== '' && { erasedSubmissionId }),
    ...(origin !== '' && { origin }),
    ...(data !== '' && { data }),
  };
}
