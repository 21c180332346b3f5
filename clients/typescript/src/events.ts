import type { Api } from './api.ts';
import { GoneError, UnexpectedAnswerError } from './errors.ts';
import type { CallOptions } from './transport.ts';
import type { OwnerEventsPage } from './types.gen.ts';
import { wait as pause } from './waits.ts';
import type { FeedEvent, FeedEventType } from './webhooks.ts';

/** Stores the place of `events()` in the feed. Both methods may be asynchronous. */
export interface CursorStore {
  /** Returns the stored cursor; undefined the first time. */
  load(): Promise<string | undefined> | string | undefined;
  /** Stores a cursor. The client calls this after your loop has handled every event before the cursor. */
  save(cursor: string): Promise<void> | void;
}

export interface EventsOptions extends CallOptions {
  /** Keeps the place between runs. Without a store, each run begins at `after`, `since`, or the oldest event. */
  cursor?: CursorStore;
  /** A cursor to begin with if the store has none. */
  after?: string;
  /** If there is no cursor, the first events are those that the feed recorded from this time on. */
  since?: string | Date;
  types?: readonly (FeedEventType | (string & {}))[];
  projectId?: string;
  /** The maximum number of events on a page, 1–200. A crash repeats at most this many events. */
  limit?: number;
  /** How long a request waits for the next event, 0–25 seconds; 20 by default. */
  waitSeconds?: number;
  /** Ends the iteration once there are no more events; otherwise it never ends. */
  untilCaughtUp?: boolean;
  /**
   * The reaction to a cursor that is older than the feed: `throw` (default) throws `GoneError` with the code
   * cursor_expired; `oldest` continues with the oldest event that is kept.
   */
  onExpired?: 'throw' | 'oldest';
}

/** A page of the feed with typed events. */
export type EventsPage = Omit<OwnerEventsPage, 'events'> & { events: FeedEvent[] };

const WAIT_SECONDS = 20;
/** The time between two requests if the first returned no events. */
const PAUSE_MS = 1_000;

/**
 * Follows the feed. The store gets a cursor after your loop has taken the next event, so that a crash repeats events of
 * at most one page, and loses none. Lost connections and outages are retried without end, unless `retries` is set; a
 * `Retry-After` longer than `maxRetryDelayMs` throws.
 */
export async function* followEvents(
  api: Api,
  { cursor: store, since, types, onExpired, untilCaughtUp, waitSeconds = WAIT_SECONDS, ...rest }: EventsOptions = {},
): AsyncGenerator<FeedEvent, void, undefined> {
  const { projectId, limit, after: first, retries = Number.POSITIVE_INFINITY, ...options } = rest;
  const wait = untilCaughtUp ? 0 : waitSeconds;
  let after = (await store?.load()) ?? first;
  const readPage = () => {
    const from = after === undefined && since !== undefined ? new Date(since).toISOString() : undefined;
    const query = { after, since: from, types: types?.join(','), projectId, limit, wait };
    const timeoutMs = (options.timeoutMs ?? api.transport.options.timeoutMs) + wait * 1000;
    return api.get<EventsPage>('/api/events', { ...options, retries, timeoutMs }, query);
  };
  let hasExpired = false;
  for (;;) {
    const beganMs = performance.now();
    let page: EventsPage;
    try {
      page = await readPage();
    } catch (error) {
      const oldest = error instanceof GoneError && error.is('cursor_expired') && error.headers.get('events-oldest');
      // The oldest cursor cannot have expired already. A service that reports this would report it at every attempt.
      if (onExpired !== 'oldest' || !oldest || hasExpired) throw error;
      hasExpired = true;
      after = oldest;
      continue;
    }
    hasExpired = false;
    if (!Array.isArray(page.events) || typeof page.nextCursor !== 'string' || !page.nextCursor)
      throw new UnexpectedAnswerError('A page of the feed has no events or no nextCursor.', 200);
    const isStill = page.nextCursor === after;
    if (isStill && page.events.length > 0)
      throw new UnexpectedAnswerError('The feed cannot continue: a page with events leads to itself.', 200);
    yield* page.events;
    if (after !== page.nextCursor) await store?.save(page.nextCursor);
    after = page.nextCursor;
    if (untilCaughtUp && page.caughtUp) return;
    // The service waits by itself; a cache or a proxy may answer at once.
    if (isStill) await pause(Math.max(0, PAUSE_MS - (performance.now() - beganMs)), options.signal);
  }
}
