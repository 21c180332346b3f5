import type { RunningService } from '@recording-request/kit/lifecycle';
import { createLogger, type Logger } from '@recording-request/kit/log';
import type { Migrate } from '@recording-request/kit/run-migration';
import type { ClientOf } from '@recording-request/kit-rpc/grpc-client';
import type { ServiceName } from '@recording-request/stack/service-plan';
import { type TestEnvironment, testEnvironment } from './environment.ts';
import { openTestCallers } from './test-callers.ts';
import { testCertificates } from './test-certificates.ts';
import { type TestStores, testStores } from './test-stores.ts';

export interface TestServiceOptions<Config, Service> {
  /** The name in its certificate. */
  name: ServiceName;
  /** The service's own `readConfig`, which its main.ts also calls. */
  readConfig: (env: NodeJS.ProcessEnv) => Config;
  startService: (config: Config, log: Logger) => Promise<Service>;
  /** The service's own migration, if it has a database. */
  migrate?: Migrate;
  /** Variables that override the environment, such as shorter times. */
  env?: Record<string, string>;
  /** An environment shared with another service; by default an environment of this service only. */
  environment?: TestEnvironment;
  /** By default a logger at LOG_LEVEL; without LOG_LEVEL, a logger for errors only. */
  log?: Logger;
  /** The time limit of a call of `client`; default 30 s. */
  deadlineMs?: number;
}

/** A service that runs in this process like in production, on its own databases, topics and bucket. */
export interface TestService<Config, Service> extends AsyncDisposable {
  environment: TestEnvironment;
  config: Config;
  log: Logger;
  service: Service;
  stores: TestStores;
  /** Returns a client of one of the service's gRPC services. The client makes each call as a permitted caller. */
  client<S>(definition: object): ClientOf<S>;
  /** Starts another replica with the same configuration. */
  startAnother(): Promise<Service>;
}

/**
 * Starts a service. Disposing closes the clients, stops every replica and drops the environment's databases. If the
 * start fails, releases everything that it opened, then rejects.
 */
export async function startTestService<Config extends object, Service extends RunningService>(
  options: TestServiceOptions<Config, Service>,
): Promise<TestService<Config, Service>> {
  const { name, readConfig, startService, deadlineMs = 30_000 } = options;
  const shared = options.environment ?? testEnvironment();
  const certificate = (await testCertificates()).env(name);
  const environment = { ...shared, env: { ...certificate, ...shared.env, ...options.env } };
  const config = readConfig(environment.env);
  const log = options.log ?? createLogger('test', environment.env.LOG_LEVEL ?? 'error');
  await using starting = new AsyncDisposableStack();
  const stores = starting.use(testStores(environment));
  const callers = starting.use(await openTestCallers(environment.env));
  const running = starting.use(new AsyncDisposableStack());
  // In production the migration of the whole system creates the topics.
  if ('kafkaBrokers' in config) await stores.makeTopics();
  if ('s3Bucket' in config) await stores.objects().ensureBucket();
  await options.migrate?.(environment.env, line => log.debug(line));
  const start = async () => running.use(await startService(config, log));
  const service = await start();
  const started = starting.move();
  return {
    environment,
    config,
    log,
    service,
    stores,
    client(definition) {
      const { grpcAddress = '', operatorAddress = '' } = service as { grpcAddress?: string; operatorAddress?: string };
      const addresses = { services: grpcAddress, operator: operatorAddress };
      return running.adopt(callers.client(definition, name, addresses, { deadlineMs }), client => client.close());
    },
    startAnother: start,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
