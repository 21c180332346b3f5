import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { OwnerEventJson, OwnerEventsPageJson } from '@recording-request/contract/resources/owner-event';
import type { Random } from '@recording-request/stack/random';
import type { Harness } from '../harness/harness.ts';

/** An owner's reader of the feed, who continues from each `nextCursor`. */
export interface FeedReader {
  /** The events in the order in which the reader got them. */
  readonly seen: OwnerEventJson[];
  /** Resolves when the reader has ended. */
  ended: Promise<void>;
}

const RETRY_MS = 200;
const REPEATED_SHARE = 0.1;

/** Follows the feed of the owner with this token until `end` fires. Each page has a random size up to `most`, and a random wait. */
export function followFeed(
  harness: Harness,
  apiToken: string,
  random: Random,
  end: AbortSignal,
  most = 20,
): FeedReader {
  const seen: OwnerEventJson[] = [];
  const read = async () => {
    for (let after = ''; !end.aborted; ) {
      const query = () => `limit=${random.integer(1, most)}&wait=${random.integer(0, 5)}`;
      const page = await pageOf(harness, apiToken, query(), after);
      if (!page) {
        await delay(RETRY_MS);
        continue;
      }
      // Sometimes requests the same page twice, like a reader that lost the first response.
      const again = random.chance(REPEATED_SHARE) ? await pageOf(harness, apiToken, query(), after) : undefined;
      if (again && !sameStart(page.events, again.events))
        harness.violated(`a page of the feed changed: ${idsOf(page.events)} became ${idsOf(again.events)}`);
      seen.push(...page.events);
      after = page.nextCursor;
    }
  };
  return { seen, ended: read() };
}

/** Reads the feed from its beginning to its end. Rejects when a page cannot be read. */
export async function readFeed(harness: Harness, apiToken: string): Promise<OwnerEventJson[]> {
  const events: OwnerEventJson[] = [];
  for (let after = ''; ; ) {
    const page = await pageOf(harness, apiToken, 'limit=200', after);
    if (!page) throw new Error('the feed could not be read');
    events.push(...page.events);
    after = page.nextCursor;
    if (page.caughtUp) return events;
  }
}

async function pageOf(
  { gateway }: Harness,
  apiToken: string,
  query: string,
  after: string,
): Promise<OwnerEventsPageJson | undefined> {
  const path = `/api/events?${query}${after && `&after=${encodeURIComponent(after)}`}`;
  const headers = { authorization: `Bearer ${apiToken}` };
  const answer = await gateway.ask(path, { headers }).catch(() => undefined);
  return answer?.status === 200 ? answer.json() : undefined;
}

const idsOf = (events: OwnerEventJson[]) => events.map(({ eventId }) => eventId).join(' ');

const sameStart = (one: OwnerEventJson[], other: OwnerEventJson[]) => {
  const length = Math.min(one.length, other.length);
  return isDeepStrictEqual(one.slice(0, length), other.slice(0, length));
};
