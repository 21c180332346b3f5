import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFeedCursor, encodeFeedCursor } from './feed-cursor.ts';

test('a cursor opens only for its owner, and only in the form in which it was given', () => {
  for (const seq of [0, 7, 1_764_489_600_000]) {
    const cursor = encodeFeedCursor('owner', seq);
    assert.equal(decodeFeedCursor('owner', cursor), seq);
    assert.equal(decodeFeedCursor('another', cursor), undefined);
    assert.equal(decodeFeedCursor('owner', `${cursor}=`), undefined);
  }
  const of = (text: string) => decodeFeedCursor('owner', Buffer.from(text).toString('base64url'));
  for (const text of ['', '1', '1.7', '2.7.abcdefghijk', '1.-7.abcdefghijk', '1.7.abcdefghijk'])
    assert.equal(of(text), undefined, text);
  for (const text of ['', 'x', '😀', 'null']) assert.equal(decodeFeedCursor('owner', text), undefined, text);
});
