import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { notifying } from './notifying.ts';

const CONFIG = `route:
  receiver: page
  routes:
    - receiver: ticket
receivers:
  - name: page
    email_configs: [{ to: sre@example.org }]
  - name: ticket
`;

test('every receiver posts to the given URL, and none to the configured one', () => {
  const { route, receivers } = parse(notifying(CONFIG, 'http://127.0.0.1:1/x'));
  const webhook_configs = [{ url: 'http://127.0.0.1:1/x', send_resolved: true }];
  assert.deepEqual(receivers, [
    { name: 'page', webhook_configs },
    { name: 'ticket', webhook_configs },
  ]);
  assert.deepEqual(route, { receiver: 'page', routes: [{ receiver: 'ticket' }] });
});

test('without a URL, no notification is sent', () => {
  assert.deepEqual(parse(notifying(CONFIG, undefined)).receivers, [{ name: 'page' }, { name: 'ticket' }]);
});
