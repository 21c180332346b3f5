import { newEvent } from '@recording-request/events/event';
import { uuidv7 } from '@recording-request/kit/ids';
import type { Event } from '@recording-request/proto/events/v1/events';
import type { ListEventsRequest, ListEventsResponse, OwnerEvent } from '@recording-request/proto/webhooks/v1/webhooks';
import { until } from '@recording-request/testing/wait';
import { sealData } from '../src/adapters/feed-data.ts';
import type { Context } from '../src/context.ts';
import type { FeedEvent } from '../src/domain/feed.ts';
import type { TestWebhooks } from './test-service.ts';

export const asking = (ownerId: string, more: Partial<ListEventsRequest> = {}): ListEventsRequest => ({
  ...{ ownerId, after: '', types: [], projectId: '', limit: 200, waitSeconds: 0 },
  ...more,
});

type Lists = { listEvents(request: ListEventsRequest): Promise<ListEventsResponse> };

/** Reads page after page until the feed has no more events. */
export async function readOn(
  webhooks: Lists,
  ownerId: string,
  more: Partial<ListEventsRequest> = {},
): Promise<{ events: OwnerEvent[]; cursor: string; pages: number }> {
  const events: OwnerEvent[] = [];
  let { after: cursor = '' } = more;
  for (let pages = 1; ; pages += 1) {
    const page = await webhooks.listEvents(asking(ownerId, { ...more, after: cursor }));
    events.push(...page.events);
    cursor = page.nextCursor;
    if (page.caughtUp) return { events, cursor, pages };
  }
}

/** Waits until the feed of an owner has `count` events, and returns them. */
export const feedOf = ({ webhooks }: Pick<TestWebhooks, 'webhooks'>, ownerId: string, count: number) =>
  until(`the feed has ${count} events`, async () => {
    const { events } = await readOn(webhooks, ownerId);
    return events.length >= count && events;
  });

/** Returns an event for `appendToFeed`. */
export const feedEvent = (ownerId: string, fields: Partial<FeedEvent> = {}): FeedEvent => ({
  ...{ id: uuidv7(), ownerId, type: 'submission.completed', createdAt: new Date(), projectId: uuidv7() },
  ...{ submissionId: uuidv7(), tokenId: '', dataBytes: 2 },
  ...fields,
});

/** Returns a record of owners.events as the service publishes it. */
export async function ownerEvent(
  { secrets }: Pick<Context, 'secrets'>,
  ownerId: string,
  fields: { id?: string; projectId?: string; submissionId?: string; data?: object } = {},
): Promise<Event> {
  const { id = uuidv7(), projectId = uuidv7(), submissionId = uuidv7(), data = {} } = fields;
  const value = {
    ...{
      ownerId,
      projectId,
      submissionId,
      erasedSubmissionId: '',
      tokenId: '',
      origin: '',
      eventType: 'submission.completed',
    },
    createdAt: new Date(),
    data: await sealData(secrets, id, JSON.stringify(data)),
    dataBytes: Buffer.byteLength(JSON.stringify(data)),
  };
  return newEvent('owner.event', { $case: 'ownerEvent', value }, id);
}
