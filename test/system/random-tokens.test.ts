/**
 * 100,000 tokens that were never given out, by HTTP. Gateway and projects are in this process, without logs and spans, as
 * that many requests are more than six processes that tell everything can answer in the time of a test.
 */
import { after } from 'node:test';
import { readConfig as readGatewayConfig } from '@recording-request/gateway/config';
import { startService as startGateway } from '@recording-request/gateway/service';
import { createLogger } from '@recording-request/kit/log';
import { connectMongo } from '@recording-request/kit/mongo';
import { readConfig as readProjectsConfig } from '@recording-request/projects/config';
import { startService as startProjects } from '@recording-request/projects/service';
import { testEnvironment } from '@recording-request/testing/environment';
import { randomTokens } from './suites/random-tokens.ts';

const NOWHERE = '127.0.0.1:9';
const MANY = '1000000';

const { name, env } = testEnvironment();
const log = createLogger('test', 'error');
const projects = await startProjects(readProjectsConfig(env), log);
const gateway = await startGateway(
  readGatewayConfig({
    ...env,
    PUBLIC_BASE_URL: 'http://owner.test',
    PROJECTS_GRPC: projects.grpcAddress,
    SUBMISSIONS_GRPC: NOWHERE,
    WEBHOOKS_GRPC: NOWHERE,
    SUBMISSIONS_HTTP: `http://${NOWHERE}`,
    RATE_LIMIT_TOKEN_PER_MINUTE: MANY,
    RATE_LIMIT_ADDRESS_PER_MINUTE: MANY,
    EVENT_LOOP_DELAY_LIMIT_MS: '0',
  }),
  log,
);
const mongo = await connectMongo({ mongoUrl: env.MONGO_URL!, mongoDatabasePrefix: `${name}_` }, 'projects');
after(async () => {
  await gateway.stop();
  await projects.stop();
  await mongo.dropDatabase();
  await mongo.close();
});

const stores = {
  command: (_: string, command: Record<string, unknown>) => mongo.db!.command(command),
  collection: (_: string, collection: string) => mongo.db!.collection<{ _id: string }>(collection),
};
randomTokens({ baseUrl: gateway.address }, stores as never, 100_000);
