import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drillTable } from './table.ts';

test('the table shows the alert of each drill, its times, the named part and the other pages', () => {
  const table = drillTable([
    {
      ...{ name: 'kafka-down', expected: 'page A', after: 7.4, isDuring: true, named: 'kafka', others: [] },
      ...{ quietAfter: 21.6, verdict: 'ok' },
    },
    {
      ...{ name: 'speech-away', expected: 'page B', after: undefined, isDuring: false, named: '', others: ['C', 'D'] },
      ...{ quietAfter: undefined, verdict: 'missed' },
    },
  ]);
  assert.deepEqual(table.split('\n'), [
    'drill        expected  after  in time  the query named  other pages  quiet  verdict',
    'kafka-down   page A      7 s  yes      kafka            none          22 s  ok',
    'speech-away  page B        -  no       -                C, D             -  missed',
  ]);
});
