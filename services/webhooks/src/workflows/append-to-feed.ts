import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '@recording-request/kit/errors';
import type { Context } from '../context.ts';
import type { FeedEvent } from '../domain/feed.ts';

type FeedContext = Pick<Context, 'clock' | 'store'>;

const TRIES = 50;
const TRY_AGAIN_MS = 20;

/**
 * Appends an event to its owner's feed, once. Decision 82 explains why no reader can miss an event, even if several
 * processes append to one feed.
 */
export async function appendToFeed(context: FeedContext, event: FeedEvent, signal: AbortSignal): Promise<void> {
  const { feed } = context.store;
  const { ownerId } = event;
  const erased = await feed.erasureOf(event);
  if (erased === 'owner') return;
  const { data, origin, ...bare } = event;
  const link = erased === 'project' ? { tokenId: '' } : { ...(origin !== undefined && { origin }) };
  const shown = { ...bare, ...link, ...(erased === 'nothing' && data !== undefined ? { data } : { dataBytes: 0 }) };
  await insertLast(context, shown, signal);
  // An erasure that ran during the insert did not see this event, so check again. Check also if the feed already has
  // the event, because the process that inserted it may have been killed at this line. Erases only this event, because
  // the erasure counts the others.
  const later = await feed.erasureOf(event);
  if (later === 'owner') await feed.eraseOwner(ownerId, context.clock.now());
  else if (later !== 'nothing') await feed.eraseEvent(event, later);
}

/** Inserts the event after the last one, unless the feed already has the event. */
async function insertLast(
  { clock, store: { feed } }: FeedContext,
  event: FeedEvent,
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const last = await feed.last(event.ownerId);
    const outcome = await feed.insert(last, { ...event, seq: Math.max(last + 1, clock.now().getTime()) });
    if (outcome !== 'followed') return;
    // Another process has appended an event. This process may not see it at once, so wait.
    await delay(TRY_AGAIN_MS, undefined, { signal });
  }
  throw new DomainError('unavailable', 'Other processes append to the same feed; try again.');
}
