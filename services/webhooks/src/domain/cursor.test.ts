import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCursor, encodeCursor } from './cursor.ts';

test('a cursor decodes to its value; any other text decodes to undefined', () => {
  const cursor = { createdAt: new Date(1_793_527_200_123), id: '0199c0de-0000-7000-8000-000000000001' };
  const text = encodeCursor(cursor);
  assert.deepEqual(decodeCursor(text), cursor);
  for (const bad of ['', 'x', `${text}=`, text.slice(1), Buffer.from('1.2').toString('base64url'), '"; drop'])
    assert.equal(decodeCursor(bad), undefined, bad);
});
