import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drillTable } from './table.ts';

test('the table says of each drill what was expected, what came, and when', () => {
  const table = drillTable([
    { name: 'kafka-down', expected: 'page A', came: 'page A', after: 7.4, quietAfter: 21.6, verdict: 'ok' },
    { name: 'speech-away', expected: 'page B', came: '', after: undefined, quietAfter: undefined, verdict: 'missed' },
  ]);
  assert.deepEqual(table.split('\n'), [
    'drill        expected  came     after  quiet  verdict',
    'kafka-down   page A    page A     7 s   22 s  ok',
    'speech-away  page B    nothing      -      -  missed',
  ]);
});
