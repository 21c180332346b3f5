import { setTimeout as delay } from 'node:timers/promises';
import { metricVariables, startTraceReceiver, traceVariables } from '@recording-request/demo/trace-receiver';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { openMongoTap } from './mongo-tap.ts';
import { openStoreTap } from './store-tap.ts';

export const KINDS = ['MongoDB operations', 'RPCs', 'Kafka records', 'store requests'] as const;
export type Kind = (typeof KINDS)[number];

/** The number of operations by kind and name, such as `submissions uploads find`. */
export type Counts = Record<Kind, ReadonlyMap<string, number>>;

/** Counts the operations of services that run with `env`. */
export interface Taps extends AsyncDisposable {
  env: Record<string, string>;
  /** Waits until the services have reported their RPCs, and returns the counts so far. */
  read(topicPrefix: string): Promise<Counts>;
}

/** The services send their metrics every second. */
const REPORTED_MS = 2_200;

/** `serversEnv` has MONGO_URL, KAFKA_BROKERS and S3_ENDPOINT. The servers must not use TLS. */
export async function openTaps(serversEnv: Record<string, string>): Promise<Taps> {
  await using opening = new AsyncDisposableStack();
  const mongo = opening.use(await openMongoTap(serversEnv.MONGO_URL!));
  const store = opening.use(await openStoreTap(serversEnv.S3_ENDPOINT!));
  const receiver = opening.use(await startTraceReceiver());
  const brokers = serversEnv.KAFKA_BROKERS!.split(',');
  const admin = new Kafka({ clientId: 'counts', brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  opening.defer(() => admin.disconnect());
  const opened = opening.move();
  return {
    env: {
      ...{ MONGO_URL: mongo.url, S3_ENDPOINT: store.url },
      ...{ ...traceVariables(receiver.url), OTEL_TRACES_EXPORTER: 'none', ...metricVariables },
    },
    async read(topicPrefix) {
      await delay(REPORTED_MS);
      const rpcs = new Map<string, number>();
      for (const { name, attributes, value } of receiver.points.values())
        if (name === 'rpc.server.call.duration') add(rpcs, methodOf(attributes), value);
      return {
        'MongoDB operations': new Map(mongo.counts),
        RPCs: rpcs,
        'Kafka records': await recordsOf(admin, topicPrefix),
        'store requests': new Map(store.counts),
      };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Returns the method without its package: `ProjectsService/GetProject`. */
const methodOf = (attributes: Record<string, unknown>) => String(attributes['rpc.method']).split('.').at(-1)!;

async function recordsOf(admin: Admin, topicPrefix: string): Promise<Map<string, number>> {
  const topics = (await admin.listTopics()).filter(name => name.startsWith(topicPrefix) && !name.startsWith('__'));
  const counts = new Map<string, number>();
  for (const topic of topics)
    for (const { high } of await admin.fetchTopicOffsets(topic))
      add(counts, topic.slice(topicPrefix.length), Number(high));
  return counts;
}

const add = (counts: Map<string, number>, name: string, value: number) =>
  counts.set(name, (counts.get(name) ?? 0) + value);
