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
  /** Whose certificate it has. */
  name: ServiceName;
  /** The service's own, as its main.ts calls it. */
  readConfig: (env: NodeJS.ProcessEnv) => Config;
  startService: (config: Config, log: Logger) => Promise<Service>;
  /** The service's own, where it has a database. */
  migrate?: Migrate;
  /** Variables over those of the environment, such as times that a test shortens. */
  env?: Record<string, string>;
  /** Shared with another service; one of its own by default. */
  environment?: TestEnvironment;
  /** By default one that writes what LOG_LEVEL lets through, errors if it is not set. */
  log?: Logger;
  /** How long a call of `client` may take, 30 s by default. */
  deadlineMs?: number;
}

/** A service that runs in this process as it does in production, on databases, topics and a bucket of its own. */
export interface TestService<Config, Service> extends AsyncDisposable {
  environment: TestEnvironment;
  config: Config;
  log: Logger;
  service: Service;
  stores: TestStores;
  /** A client of one of its gRPC services, which makes each call as one who may. */
  client<S>(definition: object): ClientOf<S>;
  /** Starts one more on the same configuration, as a second replica. */
  startAnother(): Promise<Service>;
}

/**
 * Starts a service. Disposing of it closes the clients, stops every replica and drops the databases of its environment.
 * When the start fails half-way, what was there by then is released before this rejects.
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
  // What the migration of the whole makes.
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
