/**
 * Tests the owner's contract through HTTP only. The six services run as processes on real servers. All suites are in
 * one file, because starting the services takes longer than running a suite.
 */
import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { startTestSystem } from '@recording-request/testing/test-system';
import { prepareSchemathesis } from './harness/schemathesis.ts';
import { seedTwoOwners } from './harness/seed.ts';
import { shardings } from './harness/sharding.ts';
import { authorization, prepareAuthorization } from './suites/authorization.ts';
import { benchmark } from './suites/benchmark.ts';
import { closing } from './suites/closing.ts';
import { concurrency } from './suites/concurrency.ts';
import { descriptions } from './suites/descriptions.ts';
import { events } from './suites/events.ts';
import { exports } from './suites/exports.ts';
import { media } from './suites/media.ts';
import { oneResponse } from './suites/one-response.ts';
import { ownErasure } from './suites/own-erasure.ts';
import { ownRecorders, prepareRecorders } from './suites/own-recorders.ts';
import { peopleOnClips } from './suites/people-on-clips.ts';
import { requests } from './suites/requests.ts';
import { resources } from './suites/resources.ts';
import { returning } from './suites/returning.ts';
import { shardKeys } from './suites/shard-keys.ts';
import { typescriptClient } from './suites/typescript-client.ts';
import { webhookRecipients } from './suites/webhook-recipients.ts';

await using starting = new AsyncDisposableStack();
const secretsKey = `k1:${randomBytes(32).toString('base64')}`;
const system = starting.use(
  await startTestSystem({
    env: { SECRETS_KEY: secretsKey },
    shardKeys: Object.fromEntries(Object.entries(shardings).map(([database, { keys }]) => [database, keys])),
  }),
);
const seed = starting.use(await seedTwoOwners(system));
// Slow steps come before the first test, because Node ends a file once its tests have ended.
const matrix = await prepareAuthorization(seed);
const runSchemathesis = await prepareSchemathesis(seed, line => process.stderr.write(`${line}\n`));
const recorders = await prepareRecorders(seed);
const started = starting.move();
after(() => started.disposeAsync());

resources(seed);
authorization(matrix);
requests(seed);
media(seed);
exports(seed);
peopleOnClips(seed);
concurrency(seed);
events(seed);
oneResponse(seed);
closing(seed);
ownErasure(seed);
webhookRecipients(seed);
returning(seed);
ownRecorders(seed, recorders);
typescriptClient(seed);
descriptions(seed, runSchemathesis);
// Checks the commands that the suites above have sent. The benchmark comes later, because it queries over a service's
// connection.
shardKeys(system);
benchmark(seed, secretsKey);
