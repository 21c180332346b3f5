import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CpuProfile, serviceOf, usageOf } from './cpu-profile.ts';

const FRAMES: [functionName: string, url: string][] = [
  ['(idle)', ''],
  ['(garbage collector)', ''],
  ['writev', ''],
  ['onread', 'node:internal/stream_base_commons'],
  ['sendMessage', 'file:///app/node_modules/@grpc/grpc-js/build/src/call.js'],
  ['openSpan', 'file:///app/packages/kit-telemetry/src/open-span.ts'],
  ['', 'file:///app/services/gateway/src/main.ts'],
];

/** Makes a profile: the frames of `order` run one after another, for a millisecond each. */
const profile = (...order: number[]): CpuProfile => ({
  nodes: FRAMES.map(([functionName, url], id) => ({ id, callFrame: { functionName, url, lineNumber: 9 } })),
  samples: [...order, 0],
  timeDeltas: [...order, 0].map(() => 1_000),
});

test('time is grouped by package, by folder of the product, and by V8’s own names; idle time does not count', () => {
  const { busyMs, owners, functions } = usageOf(profile(0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 0));
  assert.equal(busyMs, 6);
  assert.deepEqual(Object.fromEntries(owners), {
    '(garbage collector)': 1,
    '(native)': 1,
    node: 1,
    '@grpc/grpc-js': 1,
    'packages/kit-telemetry/src': 1,
    'services/gateway/src': 1,
  });
  assert.equal(functions.get('packages/kit-telemetry/src openSpan:10'), 1);
  assert.equal(functions.get('services/gateway/src (anonymous):10'), 1);
});

test('the time of a process’s start does not count', () => {
  const { owners } = usageOf(profile(5, 5, 5, 5, 4, 4, 4, 4));
  assert.deepEqual([...owners.keys()], ['@grpc/grpc-js']);
});

test('a profile has the name of its service', () => {
  assert.equal(serviceOf(profile(0)), 'gateway');
  assert.equal(serviceOf({ ...profile(0), nodes: [] }), undefined);
});
