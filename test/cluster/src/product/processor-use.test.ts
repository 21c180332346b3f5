import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { machineTimes } from './processor-use.ts';

test('a machine is busy with all but waiting, and its guests are not counted twice', () => {
  const text = 'cpu  100 20 30 400 50 1 2 3 90 10\ncpu0 50 10 15 200 25 0 1 1 45 5\n';
  deepEqual(machineTimes(text), { busy: 156, all: 606 });
});
