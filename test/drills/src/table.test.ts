import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drillTable } from './table.ts';

test('the table shows the expected and the actual alerts of each drill, and their times', () => {
  const table = drillTable([
    { name: 'kafka-down', expected: 'page A', actual: 'page A', after: 7.4, quietAfter: 21.6, verdict: 'ok' },
    { name: 'speech-away', expected: 'page B', actual: '', after: undefined, quietAfter: undefined, verdict: 'missed' },
  ]);
  assert.deepEqual(table.split('\n'), [
    'drill        expected  actual   after  quiet  verdict',
    'kafka-down   page A    page A     7 s   22 s  ok',
    'speech-away  page B    nothing      -      -  missed',
  ]);
});
