import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeReview, checkedNote, checkedRating, reviewOf } from './review.ts';
import type { Submission, TimedNote } from './submission.ts';

const idOf = (index: number) => `019a0000-0000-7000-8000-${String(index).padStart(12, '0')}`;
const noteAt = (atSec: number, index = 0, text = 'x'): TimedNote => ({
  ...{ id: idOf(index), atSec, text, createdAt: new Date(index) },
});
const clip = (fields: Partial<Submission> = {}) => fields as Submission;
const refusal = (sentence: RegExp) => ({ name: 'DomainError', message: sentence });

test('a rating is a whole number from 1 to 5; 0 removes it', () => {
  assert.deepEqual([0, 1, 5].map(checkedRating), [undefined, 1, 5]);
  for (const wrong of [6, -1, 1.5, Number.NaN]) assert.throws(() => checkedRating(wrong), refusal(/^rating must/));
  assert.deepEqual(changeReview(clip(), { kind: 'rate', rating: 3 }), { set: { rating: 3 }, events: [] });
  assert.equal(changeReview(clip({ rating: 3 }), { kind: 'rate', rating: 3 }), undefined, 'nothing changes');
});

test('notes are in the order of the clip, and a repeated note is added once', () => {
  let now = clip();
  for (const note of [noteAt(9, 1), noteAt(2, 2), noteAt(2, 3), noteAt(9, 1)]) {
    const change = changeReview(now, { kind: 'add', note });
    now = clip({ ...now, ...change?.set });
  }
  assert.deepEqual(
    reviewOf(now).notes.map(({ id }) => id),
    [2, 3, 1].map(idOf),
  );
  const change = changeReview(now, { kind: 'remove', noteId: idOf(2) });
  assert.equal(change?.set.timedNotes?.length, 2);
  assert.equal(changeReview(now, { kind: 'remove', noteId: idOf(7) }), undefined);
});

test('a clip has at most a hundred notes', () => {
  const timedNotes = Array.from({ length: 100 }, (_, index) => noteAt(index, index));
  const add = (index: number) => changeReview(clip({ timedNotes }), { kind: 'add', note: noteAt(1, index) });
  assert.throws(() => add(100), refusal(/at most 100 notes/));
  assert.equal(add(99), undefined, 'a repetition is no further note');
});

test('a note needs a time, a text and an id', () => {
  assert.equal(checkedNote(noteAt(0.5, 1, '👍'.repeat(2_000))).atSec, 0.5);
  for (const atSec of [-1, Number.NaN, 86_401]) assert.throws(() => checkedNote(noteAt(atSec)), refusal(/^atSec must/));
  for (const text of ['', '👍'.repeat(2_001), 'a\u0000b'])
    assert.throws(() => checkedNote(noteAt(1, 1, text)), refusal(/^text must/));
  assert.throws(() => checkedNote({ ...noteAt(1), id: 'x' }), refusal(/^id must be a UUID/));
});
