import type { Killed } from '@recording-request/stack/servers/killed';
import { until } from '@recording-request/testing/wait';
import type { ClusterCase } from '../cluster-case.ts';
import type { ClusterHarness } from '../harness.ts';
import { openSubmissions } from '../product/media-rate.ts';
import { whileContributing, withoutFailures } from '../requests.ts';

const BACK_MS = 15_000;
/** For how long it is looked for what should be there after `BACK_MS`. */
const LOOK = { limitMs: 90_000, everyMs: 250 };
const WATCHED_MS = 300_000;
/** Of the clips that are handed in to a Kafka that lacks a broker. */
const CLIPS = 12;

/** Asks again and again, without waiting for an answer; resolves to how long after `since` the first write succeeded. */
async function firstWrite({ owner }: ClusterHarness, projectId: string, since: number): Promise<number> {
  const open: Promise<unknown>[] = [];
  let doneAt: number | undefined;
  const ask = async () => {
    const json = { projectName: `Written ${open.length}` };
    const { status } = await owner.ask(`/api/projects/${projectId}`, { method: 'PATCH', json });
    if (status === 200) doneAt ??= Date.now();
  };
  const look = () => {
    // What fails is in the client's list.
    if (!doneAt) open.push(ask().catch(() => {}));
    return doneAt;
  };
  try {
    return (await until('a write succeeds', look, LOOK)) - since;
  } finally {
    await Promise.all(open);
  }
}

/** Reports how long events wait in MongoDB until Kafka has them, while `work` runs: to the longest, in milliseconds. */
async function longestWait(harness: ClusterHarness, work: () => Promise<unknown>): Promise<number> {
  await using mongo = new AsyncDisposableStack();
  const submissions = (await openSubmissions(harness, mongo)).db!.collection<{ outbox: { at: Date }[] }>('submissions');
  const waiting = { 'outbox.at': { $exists: true } };
  let longest = 0;
  let isOver = false;
  const look = async () => {
    const oldest = await submissions.findOne(waiting, { sort: { 'outbox.at': 1 }, projection: { 'outbox.at': 1 } });
    const ages = oldest?.outbox.map(({ at }) => Date.now() - at.getTime()) ?? [];
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

async function primaryDies(harness: ClusterHarness): Promise<Killed> {
  const { several, owner, noted, violated } = harness;
  const { projectId } = await owner.create();
  const killed = await several!.mongo.killPrimary();
  const back = await firstWrite(harness, projectId, killed.at);
  noted(`${seconds(back)} after MongoDB’s primary was killed a write succeeded`);
  if (back > BACK_MS) violated(`no write succeeded within ${seconds(BACK_MS)} of the end of MongoDB’s primary`);
  return killed;
}

/** An event that is taken by Kafka late is a write that was not back. */
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
    await until('the owner is told of every clip', isTold, LOOK);
    const told = Date.now() - killed.at;
    noted(
      `${CLIPS} clips had landed ${seconds(landed)} after the broker was killed, and the owner was told of all after ${seconds(told)}`,
    );
  });
  noted(`the longest that an event waited for Kafka: ${seconds(longest)}`);
  if (longest > BACK_MS) violated(`an event waited longer than ${seconds(BACK_MS)} for Kafka`);
  return killed!;
}

export const serversDie: ClusterCase = {
  name: 'servers-die',
  promise: `the primary of three MongoDB members and the leader among three Kafka brokers end by SIGKILL: nothing acknowledged is lost, and writes are back within ${seconds(BACK_MS)}`,
  servers: 'several',
  async run(harness, plan) {
    const die = async () => {
      const { restart } = await primaryDies(harness);
      await restart();
      const broker = await leaderDies(harness, plan.random.fork('leaderless'));
      await broker.restart();
      await harness.load(plan.clips, plan.random.fork('after'));
    };
    await withoutFailures(
      harness,
      () => whileContributing(harness, plan, die),
      ({ what }) => / → 503\b/.test(what),
    );
  },
};
