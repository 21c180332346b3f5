import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WebhookEndpointJson } from '@recording-request/contract/resources/webhook-delivery';
import { h } from 'preact';
import { markup } from '../markup.ts';
import { endpointNotice } from './endpoint-notice.ts';

const healthy: WebhookEndpointJson = {
  ...{ state: 'active', failingSince: null, lastStatusCode: null, lastError: null, pausedAt: null, pauseReason: null },
};
const since = '2026-03-02T10:15:28.000Z';
const textOf = (endpoint: Parameters<typeof endpointNotice>[0]) =>
  markup(h('div', null, endpointNotice(endpoint))).text.replaceAll(/<[^>]*>/g, '');

test('the notice says since when the endpoint fails or is paused, what the last attempt got, and what to do', () => {
  const failing: WebhookEndpointJson = {
    ...healthy,
    failingSince: since,
    lastStatusCode: 503,
    lastError: 'the endpoint answered 503',
  };
  assert.equal(
    textOf(failing),
    'Webhook events have not been accepted since 2026-03-02 10:15 UTC; last attempt: the endpoint answered 503. Fix the endpoint; then set webhookUrl again or send a test event. Events are kept and sent then.',
  );
  const pausedAt = '2026-03-07T11:00:00.000Z';
  assert.match(
    textOf({ ...failing, state: 'paused', pausedAt }),
    /^Webhook events are paused since 2026-03-07 11:00 UTC;/,
  );
  for (const endpoint of [healthy, null]) assert.equal(textOf(endpoint), '');
});
