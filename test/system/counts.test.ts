/**
 * Counts the operations of requests and of one clip. This is a separate file, because its services run behind counting
 * proxies.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Costs, countCosts } from '@recording-request/bench/counts/costs';
import { type Cost, totalOf } from '@recording-request/bench/counts/difference';
import { KINDS, type Kind, openTaps } from '@recording-request/bench/counts/taps';
import { startSpeechStub } from '@recording-request/bench/product/speech-stub';
import { serverVariables } from '@recording-request/testing/environment';
import { startTestSystem } from '@recording-request/testing/test-system';

/** The maximum number of MongoDB operations of one request. */
const REQUESTS: Record<string, number> = {
  'GET /api/me': 1,
  'GET /api/projects/{id}': 2,
  'GET …/submissions': 2,
  'GET …/links': 2,
};
/**
 * The maximum number of operations of one clip, from `POST …/responses` to the webhook of its transcript. A clip needs
 * 80 MongoDB operations, 25 of them for its five events in the feed of its owner; polls add up to 15 on a busy machine.
 * Six of the Kafka records are these events and `link.recording`, which also needs an RPC.
 */
const CLIP = { 'MongoDB operations': 95, RPCs: 18, 'Kafka records': 14, 'store requests': 12 };
/** The maximum number of writes of one clip, with one for each event in the feed. Polls hardly change this number. */
const CLIP_WRITES = 37;
const WRITE = / (insert|update|findAndModify|delete)$/;
const LIMIT_MS = 300_000;

await using starting = new AsyncDisposableStack();
const taps = starting.use(await openTaps(serverVariables()));
const speech = starting.use(await startSpeechStub());
const system = starting.use(await startTestSystem({ env: { ...speech.env, ...taps.env } }));
const { token } = await system.newOwner('Ada');
const started = starting.move();
after(() => started.disposeAsync());

const namesOf = (cost: Cost, kind: Kind = 'MongoDB operations') =>
  JSON.stringify(Object.fromEntries(Object.entries(cost[kind]).filter(([, count]) => count >= 0.01)));
let costs: Costs;

test('no request exceeds its number of operations', { timeout: LIMIT_MS }, async t => {
  const product = { baseUrl: system.baseUrl, token };
  const topicPrefix = `${system.name}.`;
  costs = await countCosts({ product, taps, topicPrefix, signal: t.signal, reads: 50, clips: 3 });
  for (const [name, most] of Object.entries(REQUESTS)) {
    const count = totalOf(costs.requests[name]!, 'MongoDB operations');
    assert.ok(count > 0.1, `${name}: nothing was counted`);
    const message = `${name}: ${count.toFixed(1)} operations, ${most} at most: ${namesOf(costs.requests[name]!)}`;
    assert.ok(Math.round(count) <= most, message);
  }
});

test('each getMore of the idle system reads a change stream', () => {
  const reads = Object.keys(costs.idle['MongoDB operations']).filter(name => / (changes|getMore)$/.test(name));
  assert.ok(reads.length > 0);
  assert.deepEqual(
    reads.filter(name => name.endsWith('getMore')),
    [],
  );
});

test('a clip does not exceed its number of operations', () => {
  const tooMany = KINDS.flatMap(kind => {
    const count = totalOf(costs.clip, kind);
    assert.ok(count > 1, `${kind}: nothing was counted`);
    return count <= CLIP[kind]
      ? []
      : [`${count.toFixed(1)} ${kind}, ${CLIP[kind]} at most: ${namesOf(costs.clip, kind)}`];
  });
  assert.deepEqual(tooMany, []);
  const writes = Object.entries(costs.clip['MongoDB operations'])
    .filter(([name]) => WRITE.test(name))
    .reduce((sum, [, count]) => sum + count, 0);
  assert.ok(writes > 1 && writes <= CLIP_WRITES, `${writes.toFixed(1)} writes, ${CLIP_WRITES} at most`);
});
