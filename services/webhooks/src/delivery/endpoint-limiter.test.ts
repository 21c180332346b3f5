import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEndpointLimiter, type EndpointLimiter, type Permit } from './endpoint-limiter.ts';

const never = new AbortController().signal;
const at = (projectId: string, ownerId = `owner of ${projectId}`) => ({ ownerId, projectId });

/** Acquires permits for an endpoint until no permit is free. */
function acquireAll(limiter: EndpointLimiter, projectId: string, ownerId?: string): Permit[] {
  const permits: Permit[] = [];
  for (;;) {
    const permit = limiter.tryAcquire(at(projectId, ownerId));
    if (!permit) return permits;
    permits.push(permit);
  }
}

test('an endpoint and its owner each get at most their share', () => {
  const limiter = createEndpointLimiter({ total: 32, perEndpoint: 3 });
  assert.equal(acquireAll(limiter, 'a').length, 3);
  const projects = Array.from({ length: 16 }, (_, project) => acquireAll(limiter, `p${project}`, 'busy').length);
  const busy = projects.reduce((sum, each) => sum + each, 0);
  assert.ok(busy <= 16, `one owner has ${busy} of 32`);
  assert.ok(limiter.tryAcquire(at('new')), 'a new owner gets a permit');
});

test('an endpoint that failed gets one attempt at a time until it succeeds', () => {
  const limiter = createEndpointLimiter({ total: 100, perEndpoint: 3 });
  limiter.tryAcquire(at('a'))!.release('failed');
  const only = limiter.tryAcquire(at('a'))!;
  assert.equal(limiter.tryAcquire(at('a')), undefined);
  assert.equal(only.release('well'), true, 'another attempt was refused meanwhile');
  assert.equal(acquireAll(limiter, 'a').length, 3);
});

test('failed or slow endpoints never use the half that is reserved for healthy ones, even after one quick answer', () => {
  const limiter = createEndpointLimiter({ total: 16, perEndpoint: 8 });
  for (let owner = 0; owner < 12; owner += 1) {
    limiter.tryAcquire(at(`unwell${owner}`))!.release(owner % 2 ? 'failed' : 'slow');
    limiter.tryAcquire(at(`unwell${owner}`))!.release('well');
  }
  for (let owner = 0; owner < 12; owner += 1) acquireAll(limiter, `unwell${owner}`);
  assert.equal(limiter.inUse(), 8);
  assert.ok(limiter.tryAcquire(at('well')));
});

test('an endpoint is healthy again after several quick answers in a row', () => {
  const limiter = createEndpointLimiter({ total: 4, perEndpoint: 8 });
  const answer = (health: 'slow' | 'well') => limiter.tryAcquire(at('a'))!.release(health);
  const most = () => {
    const permits = acquireAll(limiter, 'a');
    for (const permit of permits) permit.release();
    return permits.length;
  };
  answer('slow');
  const others = Array.from({ length: 2 }, (_, other) => {
    limiter.tryAcquire(at(`slow${other}`))!.release('slow');
    return limiter.tryAcquire(at(`slow${other}`))!;
  });
  assert.equal(most(), 0, 'two other endpoints use the share of slow ones');
  for (const permit of others) permit.release();
  for (const health of ['well', 'well', 'well', 'well', 'slow', 'well', 'well', 'well', 'well', 'well'] as const)
    answer(health);
  for (let other = 0; other < 2; other += 1) limiter.tryAcquire(at(`slow${other}`));
  assert.equal(most(), 1);
});

test('owners take turns, and an aborted waiter leaves the queue', async () => {
  const limiter = createEndpointLimiter({ total: 1, perEndpoint: 8 });
  const held = limiter.tryAcquire(at('a'))!;
  const served: string[] = [];
  const wait = async (projectId: string, ownerId: string) => {
    const permit = await limiter.acquire(at(projectId, ownerId), never);
    served.push(projectId);
    permit!.release('well');
  };
  const waiting = [wait('b1', 'b'), wait('b2', 'b'), wait('c', 'c')];
  const gone = new AbortController();
  const leaving = limiter.acquire(at('d'), gone.signal);
  gone.abort(new Error('gone'));
  await assert.rejects(leaving, /gone/);
  held.release('well');
  await Promise.all(waiting);
  assert.deepEqual(served, ['b1', 'c', 'b2']);
  assert.equal(limiter.inUse(), 0);
});
