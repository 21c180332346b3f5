import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pauseReasonFor } from './endpoint.ts';
import { outcomeOf } from './outcome.ts';

const now = new Date('2026-11-01T10:00:00Z');

test('only 2xx is a success', () => {
  for (const status of [200, 201, 204, 299]) assert.equal(outcomeOf({ status }, now).delivered, true);
  for (const status of [199, 300, 304, 400, 404, 410, 429, 500, 503])
    assert.equal(outcomeOf({ status }, now).delivered, false, String(status));
});

test('a redirect, a 410 and a missing answer have their own reasons', () => {
  assert.deepEqual(outcomeOf({ status: 302 }, now), {
    delivered: false,
    status: 302,
    error: 'redirects are not followed',
    gone: false,
  });
  const gone = outcomeOf({ status: 410 }, now);
  assert.ok(!gone.delivered && gone.gone);
  const none = outcomeOf({ status: 0, reason: 'the connection was refused' }, now);
  assert.ok(!none.delivered && !none.gone && none.error === 'the connection was refused');
});

test('410 pauses at once, other failures after the time limit', () => {
  const pauseAfterMs = 1_000;
  const since = (ms: number) => ({ failingSince: new Date(now.getTime() - ms) });
  assert.equal(pauseReasonFor(since(0), { gone: true, now, pauseAfterMs }), 'gone');
  assert.equal(pauseReasonFor(since(999), { gone: false, now, pauseAfterMs }), undefined);
  assert.equal(pauseReasonFor(since(1_000), { gone: false, now, pauseAfterMs }), 'failing');
});
