import { type api, type FeedEvent, GoneError, type RecordingRequest } from '@recording-request/client';
import { EXIT, Failure } from '../failures.ts';
import { type Output, plural } from '../output.ts';
import type { Deliver } from './deliver.ts';
import type { Place } from './place.ts';

export interface FollowOptions {
  client: RecordingRequest;
  out: Output;
  signal: AbortSignal;
  place: Place;
  /** The time to begin at, if `place` has no position yet. */
  since: Date;
  deliver: Deliver | undefined;
  untilIdle: boolean;
  query: NonNullable<api.ListEventsData['query']>;
  /** The destination of the events, as the command prints it. */
  where: string;
}

const WAIT_SECONDS = 20;
const PAGE = 50;

/**
 * Sends the events of the feed, in order, and stores the place after each. With `untilIdle`, resolves when no events
 * are left; otherwise it never resolves. Retries while the service is down.
 */
export async function follow({ client, out, signal, place, since, deliver, untilIdle, query, where }: FollowOptions) {
  // The beginning is stored before the first event, so that even a command that is killed at once misses nothing.
  if (!place.position.cursor && !place.position.since) await place.save({ since: since.toISOString() });
  let sent = 0;
  out.note(`Listening; events go to ${where}. Ctrl-C ends.`);
  for (;;) {
    const start = place.position;
    const from = start.cursor === undefined ? { since: start.since } : { after: start.cursor };
    const wait = untilIdle ? 0 : WAIT_SECONDS;
    const page = await client
      .eventsPage(
        { ...query, ...from, limit: PAGE, wait },
        {
          ...{ signal, timeoutMs: (wait + 30) * 1000 },
          ...(!untilIdle && { retries: Number.POSITIVE_INFINITY }),
          onRetry: (error, delayMs) => out.note(`${error.message} Again in ${Math.ceil(delayMs / 1000)} s.`),
        },
      )
      .catch(error => expired(error));
    // After a stop in the middle of a page, the page also has the events that were sent before the stop.
    const known = page.events.findIndex(event => event.eventId === start.eventId);
    for (const event of page.events.slice(known + 1)) {
      signal.throwIfAborted();
      await send(event);
      await place.save({ ...start, eventId: event.eventId });
    }
    if (page.nextCursor !== start.cursor) await place.save({ cursor: page.nextCursor });
    if (untilIdle && page.caughtUp) return out.note(`Sent ${plural(sent, 'event')}; there are no more.`);
  }

  async function send(event: FeedEvent): Promise<void> {
    const about = event.submissionId ?? event.tokenId ?? event.projectId;
    if (event.erased) return out.note(`${event.createdAt}  ${event.type}  ${about}  erased: left out`);
    const status = await deliver?.(event, signal, (outcome, waitMs) =>
      out.note(`${where} ${outcome}. Sends ${event.type} again in ${waitMs / 1000} s.`),
    );
    sent += 1;
    const mark = status === undefined ? '' : `  ${out.colour(status < 300 ? 'green' : 'red', String(status))}`;
    out.result({ ...event, status: status ?? null }, `${event.createdAt}  ${event.type}  ${about}${mark}`);
  }
}

function expired(error: unknown): never {
  if (error instanceof GoneError && error.is('cursor_expired'))
    throw new Failure(
      EXIT.missing,
      'The place is older than the events that the service keeps: some are missed. Remove the cursor file, and begin again with --since.',
    );
  throw error;
}
