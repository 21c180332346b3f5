import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addTo, removedLines, removedNothing } from './removed.ts';

test('lists removed data by store, without empty entries', () => {
  const removed = removedNothing();
  addTo(removed, { submissions: 1, uploads: 2, objects: 5, objectVersions: 6, objectBytes: 12_345 });
  addTo(removed, { payloads: 2, undelivered: 1 });
  removed.recordsEndAt = new Date('2030-01-08T06:00:00Z');
  assert.deepEqual(removedLines(removed), [
    '  submissions  1 submission, 2 uploads',
    '  objects      5 objects, 6 versions, 12,345 bytes',
    '  webhooks     2 payloads, 1 of them not delivered yet',
    '  Kafka        its records end by themselves, the last by 2030-01-08T06:00:00.000Z',
  ]);
});

test('reports that nothing was left, and that Kafka keeps records for ever', () => {
  assert.deepEqual(removedLines(removedNothing()), ['  nothing is left']);
  assert.match(removedLines({ ...removedNothing(), recordsEndAt: null })[1]!, /records do not end/);
});
