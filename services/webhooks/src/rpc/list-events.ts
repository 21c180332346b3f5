import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';
import { keyIdOf } from '@recording-request/kit/secret-box';
import { withSlot } from '@recording-request/kit/with-slot';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { ListEventsRequest, ListEventsResponse, OwnerEvent } from '@recording-request/proto/webhooks/v1/webhooks';
import { openData } from '../adapters/feed-data.ts';
import type { Context } from '../context.ts';
import type { FeedRow } from '../domain/feed.ts';
import { decodeFeedCursor, encodeFeedCursor } from '../domain/feed-cursor.ts';
import type { FeedQuery } from '../store/feed.ts';
import { requireUuid } from './require-uuid.ts';

type FeedContext = Pick<Context, 'clock' | 'config' | 'store' | 'feedPages' | 'secrets' | 'feedWaits'>;

/** The bytes of data on a page. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** Returns the next page of an owner's feed. Waits for an event if the request allows it and there is none. */
export const listEvents =
  (context: FeedContext) =>
  async (request: ListEventsRequest, { signal }: CallContext): Promise<ListEventsResponse> => {
    const query = queryOf(context, request);
    const until = performance.now() + 1_000 * request.waitSeconds;
    const answer = await pageOf(context, request, query, signal);
    if (request.waitSeconds === 0 || !isEmpty(answer)) return answer;
    using _place = context.feedWaits.enter(query.ownerId);
    return await waitForPage(context, request, { ...query, after: answer.next }, until, signal);
  };

interface Answer extends ListEventsResponse {
  next: number;
}

const isEmpty = ({ events, caughtUp, expired }: ListEventsResponse): boolean =>
  events.length === 0 && caughtUp && !expired;

async function waitForPage(
  context: FeedContext,
  request: ListEventsRequest,
  query: FeedQuery,
  until: number,
  signal: AbortSignal,
): Promise<Answer> {
  for (let { after } = query; ; ) {
    const leftMs = until - performance.now();
    const isLast = await context.feedWaits.forEvent(query.ownerId, after, leftMs, signal);
    const answer = await pageOf(context, request, { ...query, after }, signal);
    if (isLast || !isEmpty(answer)) return answer;
    after = answer.next;
  }
}

async function pageOf(
  context: FeedContext,
  request: ListEventsRequest,
  query: FeedQuery,
  signal: AbortSignal,
): Promise<Answer> {
  const { store, feedPages } = context;
  const { ownerId, after } = query;
  return await withSlot(feedPages, ownerId, signal, async () => {
    const page = await store.feed.page(query);
    // Reads this after the page, because retention may have deleted events of the page before the read.
    const gone = await store.feed.gone(ownerId);
    const isExpired = request.after !== '' && after < gone;
    const next = isExpired ? gone : Math.max(page.next, gone);
    const events: OwnerEvent[] = [];
    if (!isExpired) for (const row of page.events) events.push(await shown(context, row));
    const caughtUp = !isExpired && page.caughtUp;
    return { events, next, nextCursor: encodeFeedCursor(ownerId, next), caughtUp, expired: isExpired };
  });
}

function queryOf({ clock }: FeedContext, request: ListEventsRequest): FeedQuery {
  const ownerId = requireUuid(request.ownerId, 'ownerId');
  const { after, since, types, limit, waitSeconds } = request;
  if (limit < 1 || limit > LIMITS.eventsPageSize)
    throw new DomainError('invalid', `limit must be from 1 to ${LIMITS.eventsPageSize}.`);
  if (waitSeconds > LIMITS.eventsWaitSec)
    throw new DomainError('invalid', `wait must be from 0 to ${LIMITS.eventsWaitSec}.`);
  if (after !== '' && since) throw new DomainError('invalid', 'Give either after or since.');
  const from = after === '' ? 0 : decodeFeedCursor(ownerId, after);
  if (from === undefined) throw new DomainError('invalid', 'after must be the nextCursor of an earlier page.');
  // The number of an event is the time when the feed recorded it, so `since` is compared with numbers. A time in the
  // future means the next event.
  const sinceMs = since && Math.min(since.getTime(), clock.now().getTime());
  return {
    ownerId,
    after: sinceMs === undefined ? from : Math.max(0, sinceMs - 1),
    types,
    projectId: request.projectId === '' ? '' : requireUuid(request.projectId, 'projectId'),
    limit,
    maxBytes: PAGE_BYTES,
  };
}

async function shown(context: FeedContext, row: FeedRow): Promise<OwnerEvent> {
  const { id, type, createdAt, projectId, submissionId, erasedSubmissionId, tokenId } = row;
  const data = await dataOf(context, row);
  return {
    ...{ eventId: id, type, createdAt, projectId, tokenId },
    submissionId: erasedSubmissionId ?? submissionId,
    ...{ erased: data === undefined, data: data ?? '' },
  };
}

/** Returns the JSON of the data; undefined if it was erased, or if its key is permanently lost. */
async function dataOf({ config, secrets }: FeedContext, { id, data }: FeedRow): Promise<string | undefined> {
  if (data === undefined || config.secretsKeysLost.includes(keyIdOf(data))) return undefined;
  return await openData(secrets, id, data);
}
