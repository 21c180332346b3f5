import type { OwnerEventsPageJson } from '@recording-request/contract/resources/owner-event';
import type { ProjectLinksJson } from '@recording-request/contract/resources/project';
import { type LoadClient, openLoadClient } from '../load/http-client.ts';
import { CHANGED, firstInvited, firstSent, type Lists, openListSeed, referenceOf } from '../product/list-seed.ts';
import { ask, bearer, newOwner } from '../product/product.ts';
import { type Bench, expectEqual, type Prepared, type Row } from '../row.ts';
import { medianMs, type OneByOne, oneByOne, timed } from '../sample.ts';
import type { Sample } from '../stats/rounds.ts';

const SMALL = 'small';
const SMALL_AGAIN = 'small again';
const LARGE = 'large';
/** A turn sends REQUESTS × `repeats` requests of each kind. The figure is their median. */
const REQUESTS = 4;
const TURNS = 8;
const SMALL_COUNT = 10;
const MOST = 1.2;

interface LinkPage {
  query(lists: Lists): Record<string, string>;
  /** The positions of the links on the page. */
  expected(lists: Lists): number[];
}

interface EventPage {
  limit: number;
  /** The number of events before the page; undefined for a request without a cursor. */
  after?(lists: Lists): number;
  /** The number of events on the page; by default, `limit`. */
  expected?: number;
}

const some = (first: number, count: number) => Array.from({ length: count }, (_, more) => first + more);
const middle = (count: number) => Math.floor(count / 2);

/** Every page has as many entries in the large lists as in the small ones, so that the answers have the same length. */
const LINK_PAGES: Record<string, LinkPage> = {
  'first page of links': { query: () => ({ limit: `${SMALL_COUNT}` }), expected: () => some(1, SMALL_COUNT) },
  'page of links in the middle': {
    query: lists => ({ limit: '4', cursor: lists.linksAfter(middle(lists.links)) }),
    expected: ({ links }) => some(middle(links) + 1, 4),
  },
  'invited page': {
    query: () => ({ state: 'invited', limit: '2' }),
    expected: ({ links }) => some(firstInvited(links), 2),
  },
  'sent page': { query: () => ({ state: 'sent', limit: '2' }), expected: ({ links }) => some(firstSent(links), 2) },
  'page by reference': {
    query: ({ links }) => ({ reference: referenceOf(links) }),
    expected: ({ links }) => [links],
  },
  'changed page': {
    query: ({ changedAfter }) => ({ changedAfter: changedAfter.toISOString(), limit: '3' }),
    expected: ({ links }) => [1, ...some(links - CHANGED + 1, 2)],
  },
};
const EVENT_PAGES: Record<string, EventPage> = {
  'first page of events': { limit: SMALL_COUNT },
  'page of events in the middle': { limit: 4, after: ({ events }) => middle(events) },
  'last page of events': { limit: SMALL_COUNT, after: ({ events }) => events - 3, expected: 3 },
  'empty page of events': { limit: SMALL_COUNT, after: ({ events }) => events, expected: 0 },
};
const METRICS = [...Object.keys(LINK_PAGES), ...Object.keys(EVENT_PAGES)];

/** An owner's requests to short and to long lists of links and events in the same database. */
export const growthLists: Row = {
  name: '10b',
  title: '10 → 10,000 links with people, 10 → 100,000 events of one owner',
  needs: [],
  minutes: 4,
  named: true,
  turns: TURNS,
  atOnce: true,
  goals: METRICS.map(metric => ({ text: `${metric}, of the small owner`, metric, of: LARGE, to: SMALL, atMost: MOST })),
  self: METRICS.map(metric => ({ text: `${metric} beside itself`, metric, of: SMALL, to: SMALL_AGAIN })),
  async prepare(bench, stack): Promise<Prepared> {
    const { product, secretsKey, signal, scale } = bench;
    const seed = stack.use(await openListSeed(product, secretsKey));
    const small = await seed.fill(await newOwner(product), SMALL_COUNT, SMALL_COUNT);
    const large = await seed.fill(await newOwner(product), scale.growth.links, scale.growth.events);
    for (const [name, lists] of Object.entries({ [SMALL]: small, [LARGE]: large })) await check(name, lists);
    const client = stack.use(openLoadClient(product.baseUrl, 1));
    const alone = oneByOne(signal);
    const sample = (lists: Lists) => () => sampleOf(bench, { client, alone }, lists);
    return { [SMALL]: sample(small), [SMALL_AGAIN]: sample(small), [LARGE]: sample(large) };
  },
};

const linksPath = (lists: Lists, { query }: LinkPage) =>
  `/api/projects/${lists.projectId}/links?${new URLSearchParams(query(lists))}`;

const eventsPath = (lists: Lists, { limit, after }: EventPage) =>
  `/api/events?limit=${limit}${after ? `&after=${lists.eventsAfter(after(lists))}` : ''}`;

const pathsOf = (lists: Lists): [metric: string, path: string][] => [
  ...Object.entries(LINK_PAGES).map(([metric, page]): [string, string] => [metric, linksPath(lists, page)]),
  ...Object.entries(EVENT_PAGES).map(([metric, page]): [string, string] => [metric, eventsPath(lists, page)]),
];

/** Rejects unless each page has the expected links or events. */
async function check(name: string, lists: Lists): Promise<void> {
  for (const [metric, page] of Object.entries(LINK_PAGES)) {
    const { recipientUrls } = await ask<ProjectLinksJson>(lists.owner, linksPath(lists, page));
    const references = recipientUrls.map(({ recipient }) => recipient?.reference);
    expectEqual(`${name}: ${metric}`, references, page.expected(lists).map(referenceOf));
  }
  for (const [metric, page] of Object.entries(EVENT_PAGES)) {
    const { events, caughtUp } = await ask<OwnerEventsPageJson>(lists.owner, eventsPath(lists, page));
    const { after = () => 0, expected = page.limit } = page;
    expectEqual(
      `${name}: ${metric}`,
      [events.filter(({ data }) => data !== null).length, caughtUp],
      [expected, after(lists) + expected === lists.events],
    );
  }
}

function sampleOf(
  bench: Bench,
  { client, alone }: { client: LoadClient; alone: OneByOne },
  lists: Lists,
): Promise<Sample> {
  const headers = bearer(lists.owner);
  const count = REQUESTS * bench.scale.repeats;
  return timed(bench, async () => {
    const metrics: Record<string, number> = {};
    for (const [metric, path] of pathsOf(lists))
      metrics[metric] = await medianMs(alone, () => client.get(path, headers), count);
    return metrics;
  });
}
