import { setTimeout as delay } from 'node:timers/promises';
import { OPTIONAL_EVENTS } from '@recording-request/contract/webhook-events';
import type { Random } from '@recording-request/stack/random';
import { waitFor } from '@recording-request/stack/wait';
import { type Counts, dataViolations, eventsOfClips, feedViolations, ledgerOf } from '../check/feed.ts';
import { ended } from '../check/wait-for-clips.ts';
import type { Entry } from '../contributors/ledger.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import { killInTurn } from '../harness/killing.ts';
import { type FeedReader, followFeed, readFeed } from '../owner/feed-reader.ts';
import type { Project } from '../owner/owner.ts';

const WRITERS = 8;
/**
 * The number of kills of each service: half while writers of several owners work, half while writers of one owner work.
 */
const KILLS = { short: 2, long: 50 };
const HALTS = { short: 0, long: 2 };
/** Longer than the session timeout of a consumer, so that another process takes over its partitions. */
const HALT_MS = 12_000;
const PAUSE_MS = { short: 1_500, long: 5_000 };
const REST_MS = 150_000;
const CLIPS = 0.6;

/** The services that this case kills. A write to one of the listed collections triggers some of the kills. */
const KILLED = {
  webhooks: ['feed', 'deliveries'],
  submissions: ['submissions', 'uploads'],
  projects: ['responses', 'links', 'projects'],
} as const;

/** An owner with its reader. */
interface Side {
  apiToken: string;
  projects: Project[];
  reader: FeedReader;
  /** The events that the writers caused by changes of projects and links. */
  changes: Counts;
}

/** A writer. It changes only its own project and link, so that the test knows the number of events of each change. */
interface Writer {
  side: Side;
  project: Project;
  random: Random;
}

export const feed: FaultCase = {
  name: 'feed',
  promise:
    'While eight writers cause events and the processes that write, publish and append them are killed, each owner reads every event of the ledger once, in one order, and none of another owner',
  bounded: true,
  weight: 0,
  limitMs: 20 * 60_000,
  harness: { processes: { submissions: 2, projects: 2, webhooks: 2 }, env: { KAFKA_PARTITIONS: '6' } },
  async run(harness, { random, short, signal }) {
    const form = short ? 'short' : 'long';
    const stop = new AbortController();
    const follow = (apiToken: string, at: number) =>
      followFeed(harness, apiToken, random.fork(`reader ${at}`), AbortSignal.any([stop.signal, signal]));
    const sides = await Promise.all(
      [WRITERS, 2, 2, 2].map((count, at) => sideOf(harness, count, token => follow(token, at))),
    );
    const [first] = sides as [Side];
    const entries: Entry[] = [];
    const rounds = [sides.flatMap(side => writersOf(side, 2)), writersOf(first, WRITERS)];
    for (const [round, writers] of rounds.entries()) {
      const mine = random.fork(`round ${round}`);
      const writing = write(harness, writers, { random: mine, entries, pauseMs: PAUSE_MS[form], signal });
      await killAll(harness, { kills: KILLS[form] / 2, halts: HALTS[form], random: mine, signal });
      await writing.end();
    }
    await ended(harness, entries, 'media', { limitMs: REST_MS, signal });
    await compareAll(harness, sides, entries, signal);
    stop.abort();
    await Promise.all(sides.map(({ reader }) => reader.ended));
  },
};

async function sideOf(harness: Harness, count: number, follow: (apiToken: string) => FeedReader): Promise<Side> {
  const apiToken = await harness.anotherOwner();
  const reader = follow(apiToken);
  // Excludes webhook.failing, because it depends on the endpoint and not on the writers.
  const webhookEvents = OPTIONAL_EVENTS.filter(type => type !== 'webhook.failing');
  const projects: Project[] = [];
  while (projects.length < count) projects.push(await harness.owner.createFor(apiToken, { webhookEvents }));
  return { apiToken, projects, reader, changes: new Map() };
}

const writersOf = (side: Side, count: number) => side.projects.slice(0, count).map(project => ({ side, project }));

async function killAll(
  harness: Harness,
  { kills, halts, random, signal }: { kills: number; halts: number; random: Random; signal: AbortSignal },
): Promise<void> {
  const killing = Object.entries(KILLED).map(([service, collections]) =>
    killInTurn(harness, {
      ...{ service: service as keyof typeof KILLED, collections: [...collections] },
      ...{ times: kills, random: random.fork(service), signal },
    }),
  );
  await Promise.all([...killing, haltSome(harness, halts, random.fork('halts'), signal)]);
}

/**
 * Halts a webhooks process for longer than its session, so that it continues its work after another process has taken
 * over.
 */
async function haltSome({ fleet }: Harness, times: number, random: Random, signal: AbortSignal): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await delay(random.integer(1_000, 5_000), undefined, { signal });
    const process = random.pick(fleet.of('webhooks'));
    if (!process.ready) continue;
    fleet.halt(process);
    await delay(HALT_MS, undefined, { signal });
    fleet.resume(process);
  }
}

interface Writing {
  random: Random;
  /** Receives the takes. */
  entries: Entry[];
  pauseMs: number;
  signal: AbortSignal;
}

/** Lets the writers work until `end` is called, each at least once. */
function write(
  harness: Harness,
  writers: Omit<Writer, 'random'>[],
  { random, entries, pauseMs, signal }: Writing,
): { end(): Promise<void> } {
  let isOver = false;
  const lanes = writers.map(async (each, lane) => {
    const writer = { ...each, random: random.fork(`writer ${lane}`) };
    do {
      if (writer.random.chance(CLIPS)) entries.push(await sendClip(harness, writer));
      else await change(harness, writer);
      await delay(writer.random.integer(0, pauseMs), undefined, { signal });
    } while (!isOver);
  });
  const all = Promise.all(lanes);
  // Prevents an unhandled rejection: only `end` reports a failure.
  all.catch(() => {});
  return {
    async end() {
      isOver = true;
      await all;
    },
  };
}

const sendClip = (harness: Harness, { side, random }: Writer): Promise<Entry> =>
  harness.contribute({ project: random.pick(side.projects) }, harness.take(random), random);

/** Renames the project, or closes its link and opens it again. */
async function change({ owner }: Harness, { side, project, random }: Writer): Promise<void> {
  const { projectId } = project;
  const count = (name: string) => side.changes.set(name, (side.changes.get(name) ?? 0) + 1);
  if (random.chance(0.5)) {
    await owner.rename(projectId, `Renamed ${random.integer(0, 1e9)}`);
    count(`project.updated ${projectId}`);
    return;
  }
  const { tokenId } = (await owner.links(projectId)).recipientUrls[0]!;
  await owner.changeLink(projectId, tokenId, { disabled: true });
  count(`link.closed ${tokenId}`);
  await owner.changeLink(projectId, tokenId, { disabled: false });
}

/** Waits until every owner has read all events. Reports the differences that remain. */
async function compareAll(harness: Harness, sides: Side[], entries: Entry[], signal: AbortSignal): Promise<void> {
  let violations: string[] = [];
  const look = async () => {
    const some = await Promise.all(sides.map(side => compare(harness, side, entries)));
    violations = some.flat();
    return violations.length === 0 ? true : undefined;
  };
  const wait = { timeoutMs: REST_MS, checkMs: 30_000, intervalMs: 2_000, signal };
  await waitFor('every event in the feed', look, wait).catch(error => {
    signal.throwIfAborted();
    if (violations.length === 0) violations = [String(error)];
  });
  for (const violation of violations.slice(0, 20)) harness.violated(violation);
  const types = Map.groupBy(
    sides.flatMap(({ reader }) => reader.seen),
    ({ type }) => type,
  );
  const each = [...types].map(([type, events]) => `${events.length} ${type}`).join(', ');
  harness.noted(
    `events: ${sides.map(({ reader }) => reader.seen.length).join(' + ')} of ${sides.length} owners (${each})`,
  );
}

async function compare(
  harness: Harness,
  { apiToken, projects, reader, changes }: Side,
  entries: Entry[],
): Promise<string[]> {
  const expected: Counts = new Map(changes);
  for (const project of projects) {
    expected.set(`project.created ${project.projectId}`, 1);
    for (const [name, count] of await eventsOfClips(harness, project)) expected.set(name, count);
  }
  const ledger = await ledgerOf(harness, projects);
  const again = await readFeed(harness, apiToken);
  return [
    ...feedViolations([...reader.seen], again, { expected, ledger, projects, entries }),
    ...dataViolations(again, harness.receiver.bodies),
  ];
}
