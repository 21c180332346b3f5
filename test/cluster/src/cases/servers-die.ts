import { setTimeout as delay } from 'node:timers/promises';
import type { Incident } from '@recording-request/fault-test/harness/gateway-client';
import type { Killed } from '@recording-request/stack/servers/killed';
import { until } from '@recording-request/testing/wait';
import type { ClusterCase } from '../cluster-case.ts';
import type { ClusterHarness } from '../harness.ts';
import { openSubmissions } from '../product/media-rate.ts';
import { allPods, changedPods, noticedMs } from '../product/readiness.ts';
import { whileContributing, withoutFailures } from '../requests.ts';

const BACK_MS = 15_000;
/** After `BACK_MS`, the case waits this long for a late recovery. */
const LOOK = { limitMs: 90_000, everyMs: 250 };
const WATCHED_MS = 300_000;
/** The number of clips to send while Kafka lacks a broker. */
const CLIPS = 12;
const OUTAGE_LOOK_MS = 2_000;

/** Sends writes repeatedly without waiting for responses. Resolves to the time from `since` to the first success. */
async function firstWrite({ owner }: ClusterHarness, projectId: string, since: number): Promise<number> {
  const open: Promise<unknown>[] = [];
  let doneAt: number | undefined;
  const ask = async () => {
    const json = { projectName: `Written ${open.length}` };
    const { status } = await owner.ask(`/api/projects/${projectId}`, { method: 'PATCH', json });
    if (status === 200) doneAt ??= Date.now();
  };
  const look = () => {
    // The client records the failures.
    if (!doneAt) open.push(ask().catch(() => {}));
    return doneAt;
  };
  try {
    return (await until('a write succeeds', look, LOOK)) - since;
  } finally {
    await Promise.all(open);
  }
}

/**
 * Measures how long events wait in MongoDB until Kafka has them, while `work` runs. Returns the longest wait in
 * milliseconds. For an event that already waits, counts from now, because Kafka did not cause its earlier delay.
 */
async function longestWait(harness: ClusterHarness, work: () => Promise<unknown>): Promise<number> {
  await using mongo = new AsyncDisposableStack();
  const submissions = (await openSubmissions(harness, mongo)).db!.collection<{ outbox: { at: Date }[] }>('submissions');
  const waiting = { 'outbox.at': { $exists: true } };
  const began = Date.now();
  let longest = 0;
  let isOver = false;
  const look = async () => {
    const oldest = await submissions.findOne(waiting, { sort: { 'outbox.at': 1 }, projection: { 'outbox.at': 1 } });
    const ages = oldest?.outbox.map(({ at }) => Date.now() - Math.max(at.getTime(), began)) ?? [];
    longest = Math.max(longest, ...ages);
    return isOver && !oldest;
  };
  const watching = until('every event is at Kafka', look, { limitMs: WATCHED_MS, everyMs: 250 });
  await Promise.all([
    watching,
    work().finally(() => {
      isOver = true;
    }),
  ]);
  return longest;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/**
 * The period, by Date.now(), in which writes may return 503: from the end of a primary until the latest time for a new
 * primary.
 */
type Outage = { from: number; to: number };

async function primaryDies(harness: ClusterHarness, outages: Outage[]): Promise<Killed> {
  const { several, owner, noted, violated } = harness;
  const { projectId } = await owner.create();
  const killed = await several!.mongo.killPrimary();
  outages.push({ from: killed.at, to: killed.at + BACK_MS });
  const back = await firstWrite(harness, projectId, killed.at);
  noted(`a write succeeded ${seconds(back)} after MongoDB’s primary was killed`);
  if (back > BACK_MS) violated(`no write succeeded within ${seconds(BACK_MS)} of the end of MongoDB’s primary`);
  return killed;
}

/**
 * Leaves MongoDB without a primary for as long as the slowest probe needs to act. Such an outage must not restart a
 * pod, because a new pod would not help.
 */
async function primaryIsAway(harness: ClusterHarness, outages: Outage[]): Promise<void> {
  const { several, owner, product, objects, noted, violated } = harness;
  const { projectId } = await owner.create();
  const pods = await allPods(product);
  // One of three members cannot elect itself.
  const first = await several!.mongo.killPrimary();
  const outage = { from: first.at, to: Number.POSITIVE_INFINITY };
  outages.push(outage);
  const killed = [first, await several!.mongo.killPrimary()];
  const end = Date.now() + noticedMs(objects);
  const changed = new Set<string>();
  const answers = new Map<string, number>();
  while (Date.now() < end) {
    const json = { projectName: 'Written without a primary' };
    const { status } = await owner
      .ask(`/api/projects/${projectId}`, { method: 'PATCH', json })
      .catch(() => ({ status: 'none' }));
    answers.set(String(status), (answers.get(String(status)) ?? 0) + 1);
    for (const words of changedPods(pods, await allPods(product))) changed.add(words);
    await delay(OUTAGE_LOOK_MS);
  }
  await Promise.all(killed.map(({ restart }) => restart()));
  const since = Date.now();
  outage.to = since + BACK_MS;
  const back = await firstWrite(harness, projectId, since);
  const said = [...answers].map(([status, times]) => `${times} × ${status}`).join(', ');
  noted(
    `${seconds(noticedMs(objects))} without a primary: writes returned ${said}, ${changed.size} of ${pods.length} pods changed; a write succeeded ${seconds(back)} later`,
  );
  if ([...answers.keys()].join() !== '503') violated(`without a primary, writes returned ${said} instead of 503`);
  for (const words of changed) violated(`while MongoDB had no primary: ${words}`);
  await product.settled();
}

/** Measures Kafka's recovery. An event that Kafka accepts late means that Kafka's writes recovered late. */
async function leaderDies(harness: ClusterHarness, random: Parameters<ClusterHarness['load']>[1]): Promise<Killed> {
  const { several, receiver, noted, violated } = harness;
  let killed: Killed | undefined;
  const longest = await longestWait(harness, async () => {
    killed = await several!.kafka.killLeader();
    const entries = await harness.load(CLIPS, random, { width: CLIPS, speech: 0 });
    const landed = Date.now() - killed.at;
    const ids = entries.map(({ submissionId }) => submissionId);
    const isTold = () => {
      const told = new Set([...receiver.events.values()].map(({ submissionId }) => submissionId));
      return ids.every(id => told.has(id));
    };
    await until('the owner has a webhook about every clip', isTold, LOOK);
    const told = Date.now() - killed.at;
    noted(
      `${CLIPS} clips had landed ${seconds(landed)} after the broker was killed, and the owner had the webhooks about all after ${seconds(told)}`,
    );
  });
  noted(`the longest wait of an event for Kafka: ${seconds(longest)}`);
  if (longest > BACK_MS) violated(`an event waited longer than ${seconds(BACK_MS)} for Kafka`);
  return killed!;
}

export const serversDie: ClusterCase = {
  name: 'servers-die',
  promise: `the primary of three MongoDB members and the leader among three Kafka brokers end by SIGKILL: no acknowledged data is lost, and writes succeed again within ${seconds(BACK_MS)}; without any primary, every pod stays ready and returns 503`,
  servers: 'several',
  async run(harness, plan) {
    const outages: Outage[] = [];
    const die = async () => {
      const { restart } = await primaryDies(harness, outages);
      await restart();
      await primaryIsAway(harness, outages);
      // From here on, no request may fail, because clips wait for Kafka in MongoDB.
      const broker = await leaderDies(harness, plan.random.fork('leaderless'));
      await broker.restart();
      await harness.load(plan.clips, plan.random.fork('after'));
    };
    const allowed = ({ at, what }: Incident) =>
      / → 503\b/.test(what) && outages.some(({ from, to }) => at.getTime() >= from && at.getTime() <= to);
    await withoutFailures(harness, () => whileContributing(harness, plan, die), { allowed });
  },
};
