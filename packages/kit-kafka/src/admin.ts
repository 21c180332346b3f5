import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '@recording-request/kit/bounds';
import { StartError } from '@recording-request/kit/config';
import type { Logger } from '@recording-request/kit/log';
import { causes } from '@recording-request/kit/tls-files';
import type { Admin, Kafka as KafkaClient } from 'kafkajs';
import { kafkaFault } from './security.ts';
import type { KafkaSettings } from './variables.ts';

interface Asking {
  settings: KafkaSettings;
  log: Logger;
  /** The time for retries after temporary failures, in milliseconds; a minute by default. */
  workMs?: number;
}

const CONNECT_MS = 5_000;
const WORK_MS = 60_000;

/**
 * Calls `work` with an admin client, and retries it after temporary failures. `client` should not retry by itself. Fails with a
 * StartError when an operator must change something, and with the last error when the retries end.
 */
export async function askKafka<T>(
  client: KafkaClient,
  { settings, log, workMs = WORK_MS }: Asking,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  const admin = client.admin();
  const wait = { settings, log };
  await untilItPasses(() => admin.connect(), {
    ...wait,
    ms: CONNECT_MS,
    what: 'Kafka cannot be reached yet; retrying',
  });
  try {
    // While a topic is being created, brokers answer that they do not host the topic.
    return await untilItPasses(() => work(admin), { ...wait, ms: workMs, what: 'Kafka is not ready yet; retrying' });
  } finally {
    await admin.disconnect();
  }
}

async function untilItPasses<T>(
  work: () => Promise<T>,
  { settings, log, ms, what }: Asking & { ms: number; what: string },
): Promise<T> {
  const until = Date.now() + ms;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const fault = error instanceof StartError ? error : kafkaFault(error, settings);
      if (fault) throw fault;
      if (Date.now() > until) throw tooFewBrokers(error, settings) ?? error;
      log.debug({ err: error }, what);
      await delay(backoffMs(attempt, 100, 2_000));
    }
  }
}

/**
 * The brokers of a starting cluster appear one after the other. So too few brokers count as a fault only after all
 * retries.
 */
function tooFewBrokers(error: unknown, { kafkaReplication }: KafkaSettings): StartError | undefined {
  for (const each of causes(error))
    if ((each as { type?: string }).type === 'INVALID_REPLICATION_FACTOR')
      return new StartError(
        `Kafka has fewer brokers than the ${kafkaReplication} replicas that KAFKA_REPLICATION asks for: start more, or lower it.`,
      );
  return undefined;
}
