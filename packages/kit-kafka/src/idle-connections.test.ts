import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { type RequestQueue, restIdleConnections } from './idle-connections.ts';

interface Queue extends RequestQueue {
  throttledUntil: number;
  checkPendingRequests(): void;
  push(request: object): void;
  fulfillRequest(answer: object): void;
}

restIdleConnections();
const require = createRequire(import.meta.resolve('kafkajs'));
const LibraryQueue = require('./src/network/requestQueue/index.js') as new (options: object) => Queue;
const logger = { debug() {}, warn() {} };

function openQueue() {
  const queue = new LibraryQueue({ maxInFlightRequests: 1, requestTimeout: 1_000, logger });
  const sent: number[] = [];
  let looks = 0;
  const look = queue.checkPendingRequests.bind(queue);
  queue.checkPendingRequests = () => {
    looks += 1;
    look();
  };
  const send = (correlationId: number) =>
    queue.push({
      entry: { correlationId, resolve() {}, reject() {} },
      expectResponse: true,
      sendRequest: () => sent.push(correlationId),
    });
  const answer = (correlationId: number) => queue.fulfillRequest({ correlationId, payload: Buffer.alloc(0), size: 0 });
  return { queue, sent, send, answer, looks: () => looks };
}

test('an idle connection to Kafka runs no checks', ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const { sent, send, answer, looks } = openQueue();
  send(1);
  answer(1);
  mock.timers.tick(10_000);
  assert.deepEqual(sent, [1]);
  assert.equal(looks(), 1, 'one check after the answer, then none');
});

test('a pending request is sent after the next answer, or when the broker’s throttle ends', ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const { queue, sent, send, answer } = openQueue();
  send(1);
  send(2);
  assert.deepEqual(sent, [1], 'one request at a time');
  answer(1);
  assert.deepEqual(sent, [1, 2]);
  answer(2);
  queue.throttledUntil = Date.now() + 3_000;
  send(3);
  mock.timers.tick(2_900);
  assert.deepEqual(sent, [1, 2]);
  mock.timers.tick(200);
  assert.deepEqual(sent, [1, 2, 3]);
});
