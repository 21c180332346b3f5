import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Receiver, startReceiver } from '@recording-request/harness/webhook-receiver';
import { uuidv7 } from '@recording-request/kit/ids';
import { DeliveryState } from '@recording-request/proto/webhooks/v1/webhooks';
import { until } from '@recording-request/testing/wait';
import { TESTS_AT_ONCE } from '../src/rpc/send-test.ts';
import { startDnsServer } from './dns-server.ts';
import { HOSTILE_COUNT, HOSTILE_NAMES, hostileAddresses, REFUSAL } from './hostile-addresses.ts';
import { completed, startTestWebhooks, submission, type TestWebhooks } from './test-service.ts';

/** Less than one owner's share of test events. */
const AT_ONCE = TESTS_AT_ONCE / 4;

let listener: Receiver;
let dns: Awaited<ReturnType<typeof startDnsServer>>;
let harness: TestWebhooks;
before(async () => {
  // Listens on every interface, over IPv4 and IPv6, so that a connection to any address of this machine would arrive.
  listener = await startReceiver({ host: '::' });
  dns = await startDnsServer((name, count) => HOSTILE_NAMES[name]?.(count) ?? []);
  harness = await startTestWebhooks({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false', WEBHOOK_DNS_SERVERS: dns.address });
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
  await Promise.all([listener[Symbol.asyncDispose](), dns.close()]);
});

test('the running service connects to no hostile address, and its ledger gives the reason', async () => {
  const urls = hostileAddresses(listener.port);
  assert.equal(urls.length, HOSTILE_COUNT, 'the documents quote this number');
  const send = async (url: string) => {
    const projectId = uuidv7();
    harness.setTarget(projectId, url);
    const { delivery } = await harness.webhooks.sendTest({ projectId, eventType: '' });
    assert.equal(delivery?.state, DeliveryState.DELIVERY_STATE_FAILED, url);
    assert.equal(delivery.attempts[0]?.statusCode, 0, url);
    assert.match(delivery.attempts[0]!.error, REFUSAL, url);
  };
  for (let at = 0; at < urls.length; at += AT_ONCE) await Promise.all(urls.slice(at, at + AT_ONCE).map(send));
  assert.equal(listener.connections(), 0, `connections to ${urls.length} addresses`);
});

test('a name that resolves to an internal address after its first lookup is refused at the next attempt', async () => {
  const projectId = uuidv7();
  harness.setTarget(projectId, `http://rebind.example:${listener.port}/`);
  await harness.kafka.publish(completed(submission(projectId)));
  const errors = async () => {
    const { deliveries } = await harness.webhooks.listDeliveries({ projectId, pageSize: 1, cursor: '' });
    return deliveries[0]?.attempts.map(attempt => attempt.error) ?? [];
  };
  await until(
    'an attempt is refused for its address',
    async () => (await errors()).includes('the address is not a public one'),
    { limitMs: 60_000 },
  );
  assert.equal(listener.connections(), 0);
});
