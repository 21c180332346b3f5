import { orderViolations, type SeenEvent } from '@recording-request/fault-test/check/order';
import { loadConfig } from '@recording-request/kit/config';
import { readProgress } from '@recording-request/kit-kafka/progress';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import { connectMongo } from '@recording-request/kit-mongo/mongo';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import type { ServiceName } from '@recording-request/stack/service-plan';
import { until } from '@recording-request/testing/wait';
import { type Admin, AssignerProtocol, Kafka, logLevel } from 'kafkajs';
import type { ClusterCase } from '../cluster-case.ts';
import type { ClusterHarness } from '../harness.ts';
import { type PublishedEvent, publishedEvents, recordedSince } from '../product/event-order.ts';
import { holdJobs, openSubmissions } from '../product/media-rate.ts';
import { applyServices, leftBehind, migrate } from '../product/product.ts';
import { whileContributing, withoutFailures } from '../requests.ts';

const MORE = 24;
/** The services that only consume, in the order of their restart, and the services that produce. */
const READERS: ServiceName[] = ['webhooks'];
const SENDERS: ServiceName[] = ['projects', 'submissions', 'media', 'transcription'];
/** The consumer groups with their topics. */
const GROUPS = {
  webhooks: 'submissions.events',
  'webhooks-events': 'webhooks.events',
  'webhooks-projects': 'projects.events',
  'webhooks-feed': 'owners.events',
};
/**
 * The number of clips with speech. Their first event is published before the change, and their transcript is made while
 * the producers restart.
 */
const SPOKEN = 24;
/** The share of clips with speech in the rest of the load. Only a clip with speech has two events in one topic. */
const SPEECH = 0.3;
const SOON = { limitMs: 60_000, everyMs: 500 };
const REST = { limitMs: 240_000, everyMs: 1_000 };
/** The lag of a group that keeps up: one event in progress in each partition. */
const LAG = BigInt(MORE);
/** All services start at once on two processors. More than two contributors would keep these processors busy. */
const WIDTH = 1;

const brokersOf = ({ serversEnv }: ClusterHarness) => serversEnv.KAFKA_BROKERS!.split(',');

async function addPartitions(admin: Admin): Promise<number> {
  const topics = (await admin.listTopics()).filter(topic => !topic.startsWith('__'));
  const { topics: found } = await admin.fetchTopicMetadata({ topics });
  const smaller = found.filter(each => each.partitions.length < MORE);
  await admin.createPartitions({ topicPartitions: smaller.map(({ name }) => ({ topic: name, count: MORE })) });
  return smaller.length;
}

/** Returns whether the members of a group together have every partition of its topic. */
async function hasAll(admin: Admin, group: string): Promise<boolean> {
  const { groups } = await admin.describeGroups([group]);
  const assigned = groups[0]!.members.flatMap(({ memberAssignment }) => {
    const assignment = memberAssignment.length > 0 ? AssignerProtocol.MemberAssignment.decode(memberAssignment) : null;
    return Object.values(assignment?.assignment ?? {}).flat();
  });
  return assigned.length === MORE;
}

async function restart({ product }: ClusterHarness, services: ServiceName[]): Promise<void> {
  await product.in(['rollout', 'restart', ...services.map(name => `deployment/${name}`)]);
  await product.settled();
}

/** Resolves when the readers have almost no lag in all present partitions. */
async function keptUp({ serversEnv }: ClusterHarness): Promise<void> {
  await using progress = await readProgress(loadConfig(serversEnv, kafkaVariables));
  for (const [group, topic] of Object.entries(GROUPS)) {
    let waiting = 0n;
    const isSo = async () => {
      const positions = await progress.positions(topic, group);
      waiting = positions.reduce((sum, { at, end }) => sum + end - at, 0n);
      return positions.length === MORE && waiting <= LAG;
    };
    await until(`${group} has almost no lag`, isSo, SOON).catch(error => {
      throw new Error(`${error.message}: ${waiting} records wait`, { cause: error });
    });
  }
}

/**
 * Performs the first three steps of docs/operations.md: adds partitions, restarts the consumers, and restarts the
 * producers.
 */
async function grow(harness: ClusterHarness, random: Parameters<ClusterHarness['load']>[1]): Promise<void> {
  await using closing = new AsyncDisposableStack();
  const admin = new Kafka({ brokers: brokersOf(harness), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  closing.defer(() => admin.disconnect());
  const submissions = await openSubmissions(harness, closing);
  const held = await holdJobs(submissions);
  try {
    await harness.load(SPOKEN, random, { speech: 1 });
    harness.noted(`${await addPartitions(admin)} topics grew`);
    await restart(harness, READERS);
    for (const group of Object.keys(GROUPS))
      await until(`${group} reads all partitions`, () => hasAll(admin, group), SOON);
    await keptUp(harness);
  } finally {
    await held[Symbol.asyncDispose]();
  }
  await restart(harness, SENDERS);
}

/** Performs the last step: changes the setting, which restarts all services at once. */
async function set({ product, overlay, violated }: ClusterHarness): Promise<void> {
  const objects = await overlay('overlay-partitions', { settings: { KAFKA_PARTITIONS: String(MORE) } });
  const said = await migrate(product, objects);
  const counts = [...said.matchAll(/with (\d+) partitions?$/gm)].map(([, count]) => Number(count));
  if (/: made/.test(said) || counts.length === 0 || counts.some(count => count !== MORE))
    violated(`the migration with KAFKA_PARTITIONS=${MORE} finds another number: ${said}`);
  await applyServices(product, objects);
  await leftBehind(product);
}

/** Waits until no event is unpublished, unread or undelivered, and no job waits. */
async function atRest({ leftovers, expected }: ClusterHarness): Promise<void> {
  let left: string[] = [];
  const isDone = async () => {
    left = await leftovers.violations(expected);
    return left.length === 0;
  };
  await until('no work is left', isDone, REST).catch(error => {
    throw new Error(`${error.message}: ${left.join('; ')}`, { cause: error });
  });
}

async function idsOf({ owner }: ClusterHarness): Promise<string[]> {
  const lists = await Promise.all(owner.projects.map(({ projectId }) => owner.submissions(projectId)));
  return lists.flat().map(({ submissionId }) => submissionId);
}

/** Returns the submissions whose events are in two partitions of a topic. */
function divided(published: PublishedEvent[]): Set<string | undefined> {
  const first = new Map<string, number>();
  const found = new Set<string | undefined>();
  for (const { topic, submissionId, partition } of published) {
    const key = `${topic} ${submissionId}`;
    const at = first.get(key) ?? partition;
    first.set(key, at);
    if (at !== partition) found.add(submissionId);
  }
  return found;
}

async function judgeOrder(harness: ClusterHarness, recorded: (ids: string[]) => Promise<SeenEvent[]>): Promise<void> {
  const { receiver, noted, violated } = harness;
  const ids = await idsOf(harness);
  const all = await publishedEvents(brokersOf(harness));
  const mine = all.filter(({ submissionId = '' }) => ids.includes(submissionId));
  const broken = [...Map.groupBy(mine, ({ topic }) => topic)].flatMap(([topic, events]) =>
    orderViolations(events, `in ${topic}`),
  );
  broken.push(...orderViolations(await recorded(ids), 'recorded by webhooks'));
  for (const sentence of broken) violated(sentence);
  const across = divided(mine).size;
  // Owners' endpoints have no promised order: deliveries run in parallel, and a failed delivery arrives later.
  const told = orderViolations(receiver.events.values(), 'at the owner').length;
  noted(
    `${mine.length} events of ${ids.length} submissions, ${across} of them with events before and after the change in one topic; ${told} arrived at the owner after a later event`,
  );
  if (across === 0)
    violated('no submission has events before and after the change, so the test of their order is empty');
}

export const partitions: ClusterCase = {
  name: 'partitions',
  promise:
    'topics grow from 6 to 24 partitions under load: no work is stuck, each event arrives once, and the events of a submission are published and handled in order',
  async run(harness, plan) {
    await using closing = new AsyncDisposableStack();
    const settings = loadConfig(harness.serversEnv, mongoVariables);
    const webhooks = closing.adopt(await connectMongo(settings, 'webhooks', 'cluster-test'), each => each.close());
    const recorded = await recordedSince(webhooks);
    const last = { ...plan, random: plan.random.fork('set') };
    const steps = () => grow(harness, plan.random.fork('spoken'));
    await withoutFailures(harness, async () => {
      await whileContributing(harness, plan, steps, { speech: SPEECH });
      await whileContributing(harness, last, () => set(harness), { speech: SPEECH, width: WIDTH });
    });
    await atRest(harness);
    await judgeOrder(harness, recorded);
  },
};
