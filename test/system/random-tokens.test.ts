/**
 * Sends 100,000 unknown tokens by HTTP. The gateway and projects run in this process without logs and spans, because
 * six processes that log everything would be too slow for so many requests.
 */
import { after } from 'node:test';
import { readConfig as readGatewayConfig } from '@recording-request/gateway/config';
import { startService as startGateway } from '@recording-request/gateway/service';
import { readConfig as readProjectsConfig } from '@recording-request/projects/config';
import { migrate as migrateProjects } from '@recording-request/projects/migrate';
import { startService as startProjects } from '@recording-request/projects/service';
import { testEnvironment } from '@recording-request/testing/environment';
import { startTestService } from '@recording-request/testing/test-service';
import { randomTokens } from './suites/random-tokens.ts';

const NOWHERE = '127.0.0.1:9';
const MANY = '1000000';

await using starting = new AsyncDisposableStack();
const environment = testEnvironment({ LOG_LEVEL: 'error' });
const projects = starting.use(
  await startTestService({
    name: 'projects',
    environment,
    readConfig: readProjectsConfig,
    startService: startProjects,
    migrate: migrateProjects,
  }),
);
const gateway = starting.use(
  await startTestService({
    name: 'gateway',
    environment,
    readConfig: readGatewayConfig,
    startService: startGateway,
    env: {
      PUBLIC_BASE_URL: 'http://owner.test',
      PROJECTS_GRPC: projects.service.grpcAddress,
      SUBMISSIONS_GRPC: NOWHERE,
      WEBHOOKS_GRPC: NOWHERE,
      SUBMISSIONS_HTTP: `https://${NOWHERE}`,
      RATE_LIMIT_TOKEN_PER_MINUTE: MANY,
      RATE_LIMIT_ADDRESS_PER_MINUTE: MANY,
      RATE_LIMIT_CONTRIBUTOR_PER_MINUTE: MANY,
      EVENT_LOOP_DELAY_LIMIT_MS: '0',
    },
  }),
);
const mongo = await projects.stores.database('projects');
const started = starting.move();
after(() => started.disposeAsync());

const stores = {
  command: (_: string, command: Record<string, unknown>) => mongo.db!.command(command),
  collection: (_: string, collection: string) => mongo.db!.collection<{ _id: string }>(collection),
};
randomTokens({ baseUrl: gateway.service.address }, stores as never, 100_000);
