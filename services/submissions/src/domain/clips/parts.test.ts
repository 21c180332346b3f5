import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partsFrom, rangesOf } from './parts.ts';

const parts = [
  { key: 'a', size: 10 },
  { key: 'none', size: 0 },
  { key: 'b', size: 5 },
  { key: 'c', size: 7 },
];

test('every range of the whole has the same bytes in the parts', () => {
  const bytes = parts.flatMap(({ key, size }) => Array.from({ length: size }, (_, at) => `${key}${at}`));
  for (let from = 0; from <= bytes.length; from++)
    for (let to = from; to <= bytes.length; to++) {
      const read = [...rangesOf(parts, from, to - from)].flatMap(({ key, offset, length }) =>
        Array.from({ length }, (_, at) => `${key}${offset + at}`),
      );
      assert.deepEqual(read, bytes.slice(from, to));
    }
});

test('parts are listed from the one that contains the byte', () => {
  assert.deepEqual(partsFrom(parts, 0, 2), { parts: parts.slice(0, 2), offset: 0 });
  assert.deepEqual(partsFrom(parts, 10, 1), { parts: [parts[2]], offset: 10 });
  assert.deepEqual(partsFrom(parts, 14, 9), { parts: parts.slice(2), offset: 10 });
  assert.deepEqual(partsFrom(parts, 22, 9), { parts: [], offset: 22 });
});
