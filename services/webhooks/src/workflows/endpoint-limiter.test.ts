import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEndpointLimiter } from './endpoint-limiter.ts';

test('an endpoint gets its share and no more, and the whole is bounded', () => {
  const limiter = createEndpointLimiter({ total: 5, perEndpoint: 3 });
  const permits = ['a', 'a', 'a', 'a', 'b', 'b', 'b'].map(endpoint => limiter.tryAcquire(endpoint));
  assert.deepEqual(
    permits.map(permit => permit !== undefined),
    [true, true, true, false, true, true, false],
  );
  assert.equal(limiter.inUse(), 5);
});

test('an endpoint that failed gets one attempt at a time until it does well', () => {
  const limiter = createEndpointLimiter({ total: 10, perEndpoint: 3 });
  limiter.tryAcquire('a')!.release('failed');
  const only = limiter.tryAcquire('a')!;
  assert.equal(limiter.tryAcquire('a'), undefined);
  only.release('well');
  assert.ok(limiter.tryAcquire('a') && limiter.tryAcquire('a') && limiter.tryAcquire('a'));
});

test('failed and slow endpoints never get the half that is for the others', () => {
  const limiter = createEndpointLimiter({ total: 8, perEndpoint: 8 });
  for (let i = 0; i < 6; i += 1) limiter.tryAcquire(`dead${i}`)!.release('failed');
  limiter.tryAcquire('slow')!.release('slow');
  const dead = Array.from({ length: 6 }, (_, i) => limiter.tryAcquire(`dead${i}`)).filter(one => one !== undefined);
  assert.equal(dead.length, 4);
  assert.equal(limiter.tryAcquire('slow'), undefined);
  const well = Array.from({ length: 5 }, () => limiter.tryAcquire('well')).filter(one => one !== undefined);
  assert.equal(well.length, 4);
});

test('a release returns who was refused', () => {
  const limiter = createEndpointLimiter({ total: 2, perEndpoint: 1 });
  const a = limiter.tryAcquire('a')!;
  limiter.tryAcquire('a');
  assert.deepEqual(a.release('well'), { same: true, others: false });
  const b = limiter.tryAcquire('b')!;
  limiter.tryAcquire('c');
  limiter.tryAcquire('d');
  assert.deepEqual(b.release('well'), { same: false, others: true });
  assert.equal(limiter.inUse(), 1);
});
