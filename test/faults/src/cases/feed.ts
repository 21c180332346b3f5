import { setTimeout as delay } from 'node:timers/promises';
import type { OwnerEventsPageJson } from '@recording-request/contract/resources/owner-event';
import type { WebhookDeliveriesPageJson } from '@recording-request/contract/resources/webhook-delivery';
import { OPTIONAL_EVENTS } from '@recording-request/contract/webhook-events';
import type { Random } from '@recording-request/stack/random';
import type { ServiceName } from '@recording-request/stack/service-plan';
import { waitFor } from '@recording-request/stack/wait';
import { ended } from '../check/wait-for-clips.ts';
import type { Entry } from '../contributors/ledger.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import type { Project } from '../owner/owner.ts';

const WRITERS = 8;
const KILLS = { short: 3, long: 50 };
const HALTS = { short: 0, long: 4 };
/** Longer than a consumer may be silent in its group, so that another process takes over its partitions. */
const HALT_MS = 15_000;
const PAUSE_MS = { short: 1_500, long: 12_000 };
const REST_MS = 180_000;

/** The events of each clip: its response begins and is completed, it lands, and its media end. */
const OF_A_CLIP = 4;

export const feed: FaultCase = {
  name: 'feed',
  promise:
    'While eight contributors send clips and the processes that write and append events are killed, a reader of the feed sees every event of the ledger once, in one order',
  bounded: true,
  weight: 0,
  limitMs: 20 * 60_000,
  harness: { processes: { submissions: 2, webhooks: 2 }, env: { KAFKA_PARTITIONS: '6' } },
  async run(harness, { random, short, signal }) {
    const form = short ? 'short' : 'long';
    // webhook.failing depends on the endpoint, not on the contributors.
    const webhookEvents = OPTIONAL_EVENTS.filter(type => type !== 'webhook.failing');
    const projects = await Promise.all([0, 1].map(() => harness.owner.create({ webhookEvents })));
    const stop = new AbortController();
    const reader = readOn(harness, projects, stop.signal);
    const entries: Entry[] = [];
    let isOver = false;
    const writers = Array.from({ length: WRITERS }, async (_, lane) => {
      const mine = random.fork(`writer ${lane}`);
      do {
        const project = projects[lane % projects.length]!;
        entries.push(await harness.contribute({ project }, harness.take(mine), mine));
        await delay(mine.integer(0, PAUSE_MS[form]));
      } while (!isOver && !signal.aborted);
    });
    const killers = (['webhooks', 'submissions'] as const).map(service =>
      killEach(harness, service, KILLS[form], random.fork(service), signal),
    );
    await haltSome(harness, HALTS[form], random.fork('halts'));
    await Promise.all(killers);
    isOver = true;
    await Promise.all(writers);

    await ended(harness, entries, 'media', { limitMs: REST_MS, signal });
    await complete(harness, projects, entries, reader.seen, signal);
    stop.abort();
    await reader.ended;
    await compare(harness, projects, reader.seen);
  },
};

/** Kills the processes of a service in turn, `times` in all, and starts each again. */
async function killEach(harness: Harness, service: ServiceName, times: number, random: Random, signal: AbortSignal) {
  const processes = harness.fleet.of(service);
  for (let time = 0; time < times && !signal.aborted; time += 1) {
    const process = processes[time % processes.length]!;
    await delay(random.integer(200, 3_000));
    await harness.fleet.kill(process);
    await delay(random.integer(0, 500));
    await harness.fleet.start(process);
  }
}

/** Halts a process of webhooks past its session, so that it continues its work after another has taken over. */
async function haltSome({ fleet }: Harness, times: number, random: Random) {
  for (let time = 0; time < times; time += 1) {
    const process = random.pick(fleet.of('webhooks'));
    if (!process.ready) continue;
    fleet.halt(process);
    await delay(HALT_MS);
    fleet.resume(process);
    await delay(random.integer(1_000, 5_000));
  }
}

async function pageOf(harness: Harness, after: string, query: string): Promise<OwnerEventsPageJson | undefined> {
  const path = `/api/events?${query}${after && `&after=${encodeURIComponent(after)}`}`;
  const answer = await harness.owner.ask(path).catch(() => undefined);
  return answer?.status === 200 ? answer.json() : undefined;
}

/** Returns the ids of a page's events of these projects: the owner may have others, of earlier cases. */
const idsOf = ({ events }: OwnerEventsPageJson, projects: Project[]): string[] =>
  events.filter(each => projects.some(({ projectId }) => projectId === each.projectId)).map(({ eventId }) => eventId);

/** Reads the feed with one cursor until `end` fires. */
function readOn(harness: Harness, projects: Project[], end: AbortSignal): { seen: string[]; ended: Promise<void> } {
  const seen: string[] = [];
  const read = async () => {
    for (let after = ''; !end.aborted; ) {
      const page = await pageOf(harness, after, 'limit=3&wait=2');
      if (!page) await delay(200);
      else {
        seen.push(...idsOf(page, projects));
        after = page.nextCursor;
      }
    }
  };
  return { seen, ended: read() };
}

async function ledgerOf(harness: Harness, { projectId }: Project): Promise<Map<string, string>> {
  const events = new Map<string, string>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/api/projects/${projectId}/webhook-deliveries?limit=100${cursor && `&cursor=${cursor}`}`;
    const page: WebhookDeliveriesPageJson = (await harness.owner.ask(path)).json();
    for (const { eventId, eventType } of page.deliveries) events.set(eventId, eventType);
    cursor = page.pagination.nextCursor;
  }
  return events;
}

const idsIn = async (harness: Harness, projects: Project[]) =>
  new Map((await Promise.all(projects.map(project => ledgerOf(harness, project)))).flatMap(each => [...each]));

/** Waits until the ledger has every event of the clips, and the reader has as many events as the ledger. */
async function complete(harness: Harness, projects: Project[], entries: Entry[], seen: string[], signal: AbortSignal) {
  const wanted = OF_A_CLIP * entries.filter(({ outcome }) => outcome === 'ok').length;
  const look = async () => {
    const ids = await idsIn(harness, projects);
    return ids.size >= wanted && seen.length >= ids.size ? true : undefined;
  };
  const wait = { timeoutMs: REST_MS, checkMs: 10_000, intervalMs: 2_000, signal };
  await waitFor('every event in the feed', look, wait).catch(() => {
    signal.throwIfAborted();
    harness.violated(`the feed has ${seen.length} events; at least ${wanted} were expected`);
  });
}

async function compare(harness: Harness, projects: Project[], seen: string[]): Promise<void> {
  const { violated, noted } = harness;
  const again: string[] = [];
  for (let after = '', isLast = false; !isLast; ) {
    const page = await pageOf(harness, after, 'limit=200');
    if (!page) throw new Error('the feed could not be read');
    again.push(...idsOf(page, projects));
    ({ nextCursor: after, caughtUp: isLast } = page);
  }
  const ledger = await idsIn(harness, projects);
  const repeated = seen.length - new Set(seen).size;
  if (repeated > 0) violated(`the reader saw ${repeated} events twice`);
  if (seen.join() !== again.join()) violated('a second reader sees other events, or another order, than the first one');
  const missing = [...ledger].filter(([id]) => !again.includes(id));
  if (missing.length > 0) violated(`the feed lacks ${missing.length} events of the ledger, such as ${missing[0]}`);
  const extra = again.filter(id => !ledger.has(id));
  if (extra.length > 0) violated(`the feed has ${extra.length} events that the ledger lacks, such as ${extra[0]}`);
  noted(`${again.length} events in the feed, ${ledger.size} in the ledger`);
}
