import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '@recording-request/kit/log';
import type { Endpoint } from '../domain/endpoint.ts';
import { createEndpointTurns } from './endpoint-turns.ts';

const EVERY_MS = 5_000;

function start() {
  const state = { nowMs: 100_000 };
  const stored: number[] = [];
  const turns = createEndpointTurns({
    clock: { now: () => new Date(state.nowMs) },
    log: createLogger('test', 'silent'),
    endpoints: { served: async (_, at) => void stored.push(at.getTime()) },
    everyMs: EVERY_MS,
  });
  const endpoint: Endpoint = { projectId: 'p', targetVersion: 1, state: 'active' };
  return { state, stored, turns, endpoint };
}

test('a permit is free since the end of the last attempt for which another delivery waited', () => {
  const { state, turns, endpoint } = start();
  const now = new Date(state.nowMs);
  assert.equal(turns.begin(endpoint, now), 0, 'nothing ever waited for this endpoint');
  state.nowMs += 10_000;
  turns.freed('p');
  assert.equal(turns.begin(endpoint, now), state.nowMs);
});

test('a new process reads the end of the last wait from the ledger, and then uses only its own attempts', () => {
  const { turns, endpoint } = start();
  assert.equal(turns.begin({ ...endpoint, servedAt: new Date(90_000) }, new Date(0)), 90_000);
  assert.equal(turns.begin({ ...endpoint, servedAt: new Date(99_000) }, new Date(0)), 90_000);
});

test('the ledger stores that a waiting event was sent, at most once per interval, and ignores other events', () => {
  const { state, stored, turns, endpoint } = start();
  turns.begin(endpoint, new Date(state.nowMs - EVERY_MS));
  assert.deepEqual(stored, []);
  for (const advanceMs of [0, 1, EVERY_MS - 1, 1]) {
    state.nowMs += advanceMs;
    turns.begin(endpoint, new Date(0));
  }
  assert.deepEqual(stored, [100_000, 100_001 + EVERY_MS]);
});
