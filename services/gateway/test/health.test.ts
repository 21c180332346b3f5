import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '@recording-request/stack/ports';
import { until } from '@recording-request/testing/wait';
import { startTestGateway } from './test-service.ts';

test('a gateway reports that it has started when its services are connected, and serves before', async () => {
  await using gateway = await startTestGateway();
  const started = async () => (await fetch(`${gateway.base}/healthz/started`)).status === 200;
  await until('the services are reached', started);
});

test('a gateway without a connection to a service has not started, and is healthy', async () => {
  const nobody = `127.0.0.1:${await freePort()}`;
  await using gateway = await startTestGateway({}, { WEBHOOKS_GRPC: nobody });
  const answer = await fetch(`${gateway.base}/healthz/started`);
  assert.deepEqual([answer.status, await answer.json()], [503, { error: 'The services behind are not reached yet.' }]);
  assert.equal((await fetch(`${gateway.base}/healthz`)).status, 200);
});
