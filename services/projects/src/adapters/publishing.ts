import { connectKafka, type Kafka } from '@recording-request/events/kafka';
import { startRelay } from '@recording-request/events/outbox';
import { bounded } from '@recording-request/kit/bounds';
import { StartError } from '@recording-request/kit/config';
import { every, type Stoppable } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import type { Config } from '../config.ts';
import { CARRIERS } from '../store/outbox.ts';

const START_MS = 10_000;
const RETRY_MS = 5_000;

/**
 * Publishes the events in the outboxes of documents. No request needs Kafka, so the service also starts without it:
 * events then wait in their documents until Kafka responds. Fails with a StartError if Kafka responds now and an
 * operator must change something, such as a login or a missing topic.
 */
export async function startPublishing(
  { config, connection }: { config: Config; connection: Parameters<typeof startRelay>[0]['connection'] },
  log: Logger,
): Promise<AsyncDisposable> {
  let stopped = false;
  let running: { kafka: Kafka; relay: Stoppable } | undefined;
  const connect = async () => {
    const kafka = await connectKafka(config, { clientId: 'projects', log });
    if (stopped) return await kafka.close();
    running = { kafka, relay: startRelay({ connection, kafka, log, name: 'projects', collections: CARRIERS }) };
  };
  let first: Promise<void> | undefined = connect();
  const failure = await bounded(first, START_MS, 'connecting to Kafka').then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure instanceof StartError) throw failure;
  if (failure) log.warn({ err: failure }, 'Kafka cannot be reached: events wait in the database until it can');
  const connecting = every(
    RETRY_MS,
    async () => {
      if (running) return;
      // The first attempt may still be running.
      const attempt = first ?? connect();
      first = undefined;
      await attempt;
    },
    { log, name: 'connection to Kafka' },
  );
  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      await bounded(connecting.stop(), RETRY_MS, 'ending an attempt to connect to Kafka').catch(() => {});
      await running?.relay.stop();
      await running?.kafka.close();
    },
  };
}
