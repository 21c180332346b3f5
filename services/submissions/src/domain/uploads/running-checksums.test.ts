import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { createKeptChecksums } from './running-checksums.ts';

const of = (text: string) => ({ sha256: createHash('sha256').update(text).digest('hex'), crc32: crc32(text) });

test('checksums continue from request to request, and can be read at any time', () => {
  const kept = createKeptChecksums();
  const first = kept.take('a', 0)!;
  first.add(Buffer.from('one '));
  kept.keep('a', first);
  assert.deepEqual(kept.read('a', 4), of('one '));
  const second = kept.take('a', 4)!;
  second.add(Buffer.from('two'));
  kept.keep('a', second);
  assert.deepEqual(kept.read('a', 7), of('one two'));
  assert.equal(kept.read('a', 4), undefined, 'no checksums are returned for other bytes');
  kept.forget('a');
  assert.equal(kept.read('a', 7), undefined);
});

test('no checksums are known when another process received some of the bytes, or a request failed', () => {
  const kept = createKeptChecksums();
  const checksums = kept.take('a', 0)!;
  checksums.add(Buffer.from('one '));
  kept.keep('a', checksums);
  assert.equal(kept.take('a', 7), undefined);
  assert.equal(kept.take('a', 4), undefined, 'checksums that were taken and not kept are gone');
});

test('only the latest checksums are kept', () => {
  const kept = createKeptChecksums(2);
  for (const id of ['a', 'b', 'a', 'c']) kept.keep(id, kept.take(id, 0)!);
  assert.deepEqual(
    ['a', 'b', 'c'].map(id => kept.read(id, 0) !== undefined),
    [true, false, true],
  );
});
