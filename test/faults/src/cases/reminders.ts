import { setTimeout as delay } from 'node:timers/promises';
import { ensure } from '@recording-request/stack/install/ensure';
import { fakeClock } from '@recording-request/stack/install/faketime';
import type { Random } from '@recording-request/stack/random';
import { waitFor } from '@recording-request/stack/wait';
import { CLOCK_OFFSET_MS, remindersIn, reminderViolations } from '../check/reminders.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import { killInTurn } from '../harness/killing.ts';
import { type FeedReader, followFeed } from '../owner/feed-reader.ts';
import { invite, type Person, performAction } from '../owner/people.ts';
import { planOf, type Quantities, type Step } from '../owner/people-plan.ts';

interface Form extends Quantities {
  projects: number;
  /** The number of people in each project. */
  people: number;
  kills: { projects: number; webhooks: number };
  /** The time from the last invitation until the first reminder is due. */
  leadMs: number;
  /** The time from the first due reminder to the last one. */
  spreadMs: number;
  restMs: number;
}

const FORMS: Record<'short' | 'long', Form> = {
  short: {
    ...{ projects: 4, people: 80, closed: { early: 1, late: 1 }, early: 0.4 },
    actions: { send: 10, stop: 8, disable: 8, begin: 10, ask: 6, move: 4 },
    kills: { projects: 3, webhooks: 1 },
    ...{ leadMs: 15_000, spreadMs: 6_000, restMs: 120_000 },
  },
  long: {
    ...{ projects: 10, people: 1_000, closed: { early: 1, late: 2 }, early: 0.3 },
    actions: { send: 200, stop: 200, disable: 150, begin: 250, ask: 100, move: 50 },
    kills: { projects: 40, webhooks: 15 },
    ...{ leadMs: 30_000, spreadMs: 45_000, restMs: 240_000 },
  },
};

/** The number of concurrent actions. */
const WIDTH = 8;
const MARGIN = 2;
const MOVING_MS = 150_000;
const LOOK_MS = 1_000;
const SHOWN = 20;

export const reminders: FaultCase = {
  name: 'reminders',
  promise:
    'If very many people are due in the same minute while processes are killed and clocks differ, everyone who sent nothing is reminded once, and nobody after a clip, a stop or a close',
  bounded: true,
  weight: 0,
  limitMs: 20 * 60_000,
  harness: {
    processes: { projects: 2, webhooks: 2 },
    env: { REMINDER_SWEEP_SECONDS: '1' },
    async servers() {
      await ensure(['faketime'], () => {});
      return {};
    },
    processEnv: (service, index) =>
      fakeClock(service === 'projects' ? ((index === 0 ? 1 : -1) * CLOCK_OFFSET_MS) / 1_000 : 0),
  },
  async run(harness, { random, short, signal }) {
    const form = FORMS[short ? 'short' : 'long'];
    const stop = new AbortController();
    const end = AbortSignal.any([stop.signal, signal]);
    const owners = await Promise.all([0, 1].map(() => harness.anotherOwner()));
    const dueFrom = Date.now() + form.leadMs + (await inviteMs(harness, owners[0]!, form));
    const early = dueFrom - CLOCK_OFFSET_MS;
    const readers = owners.map((token, at) => followFeed(harness, token, random.fork(`reader ${at}`), end, 200));
    const people = await inviteAll(harness, owners, form, dueFrom);
    if (Date.now() > early) throw new Error('this machine is too slow: people were due before all had links');
    const plan = planOf(people, form, random.fork('plan'));
    await Promise.all([
      ...plan.closed.early.map(group => close(harness, group)),
      doAll(harness, plan.early, random.fork('early'), signal),
    ]);
    await delay(Math.max(0, early - Date.now()), undefined, { signal });
    const until = dueFrom + form.spreadMs;
    await Promise.all([
      ...killAll(harness, form, random, signal),
      doAll(harness, plan.late, random.fork('late'), signal),
      moveSome(harness, plan.moved, readers, signal),
      ...plan.closed.late.map(async (group, at) => {
        await delay(random.fork(`close ${at}`).integer(0, until - early), undefined, { signal });
        await close(harness, group);
      }),
    ]);
    await compareAll(harness, people, readers, form.restMs, signal);
    stop.abort();
    await Promise.all(readers.map(reader => reader.ended));
    report(harness, people, readers, dueFrom);
  },
};

/**
 * Creates a project with as many links as the other projects. Returns the time that this machine needs to create all
 * projects.
 */
async function inviteMs({ owner }: Harness, apiToken: string, { projects, people }: Form): Promise<number> {
  const began = Date.now();
  await owner.createFor(apiToken, { count: people, sharedLinkEnabled: false });
  return MARGIN * projects * (Date.now() - began);
}

/**
 * Invites the people of each project. The two owners get every second project. The first project of each owner sends
 * the reminders to its endpoint.
 */
async function inviteAll(harness: Harness, owners: string[], form: Form, dueFrom: number): Promise<Person[]> {
  const all: Person[] = [];
  for (let at = 0; at < form.projects; at += 1)
    all.push(
      ...(await invite(harness, owners[at % owners.length]!, {
        count: form.people,
        dueFrom: place => dueFrom + Math.round((place * form.spreadMs) / form.people),
        hasEndpoint: at < owners.length,
      })),
    );
  return all;
}

async function doAll(harness: Harness, steps: Step[], random: Random, signal: AbortSignal): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < steps.length; at = next++) {
      const { person, action } = steps[at]!;
      await performAction(harness, person, action, { random: random.fork(`${at}`), signal });
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, lane));
}

/** Closes the project of these people, and reads how many reminders each has had. */
async function close({ owner }: Harness, people: Person[]): Promise<void> {
  const { projectId } = people[0]!.project;
  await owner.close(projectId);
  const links = new Map((await owner.links(projectId)).recipientUrls.map(link => [link.tokenId, link]));
  for (const person of people) person.last ??= links.get(person.tokenId)!.remindersSent;
}

function killAll(harness: Harness, { kills }: Form, random: Random, signal: AbortSignal): Promise<number>[] {
  const collections = { projects: [], webhooks: ['feed', 'deliveries'] };
  return (['projects', 'webhooks'] as const).map(service =>
    killInTurn(harness, {
      ...{ service, collections: collections[service], times: kills[service] },
      ...{ random: random.fork(service), signal },
    }),
  );
}

/** Moves the deadlines of people who were reminded. They become due again, but must not be reminded again. */
async function moveSome(harness: Harness, people: Person[], readers: FeedReader[], signal: AbortSignal): Promise<void> {
  const left = new Set(people);
  for (const until = Date.now() + MOVING_MS; left.size > 0 && Date.now() < until; ) {
    const seen = remindersIn(readers);
    for (const person of left) {
      if (!seen.has(person.tokenId)) continue;
      left.delete(person);
      await performAction(harness, person, 'move', { signal });
    }
    await delay(LOOK_MS, undefined, { signal });
  }
}

/** Waits until each person has the right reminders. Reports what remains wrong. */
async function compareAll(
  harness: Harness,
  people: Person[],
  readers: FeedReader[],
  restMs: number,
  signal: AbortSignal,
): Promise<void> {
  let violations: string[] = [];
  const look = async () => {
    violations = await reminderViolations(harness, people, readers);
    return violations.length === 0 ? true : undefined;
  };
  const wait = { timeoutMs: restMs, checkMs: 60_000, intervalMs: 3_000, signal };
  await waitFor('every reminder', look, wait).catch(error => {
    signal.throwIfAborted();
    if (violations.length === 0) violations = [String(error)];
  });
  for (const violation of violations.slice(0, SHOWN)) harness.violated(violation);
  if (violations.length > SHOWN) harness.violated(`and ${violations.length - SHOWN} more`);
}

/** Logs the number of reminders, and the actions before and after them. */
function report({ noted }: Harness, people: Person[], readers: FeedReader[], dueFrom: number): void {
  const all = [...remindersIn(readers).values()].flat();
  const ended = people.filter(({ last }) => last !== undefined);
  const times = all.map(({ createdAt }) => createdAt.getTime() - dueFrom);
  const seconds = [Math.min(...times), Math.max(...times)].map(ms => Math.round(ms / 1_000)).join(' to ');
  noted(
    `${all.length} reminders of ${people.length} people, ${seconds} s after the first was due; ${ended.length} people ended theirs, ${ended.filter(({ last }) => last! > 0).length} of them after a reminder`,
  );
}
