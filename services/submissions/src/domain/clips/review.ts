import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';
import { refuseControlCharacters } from '@recording-request/kit/plain-text';
import type { Change, Submission, TimedNote } from './submission.ts';

/** The owner’s opinion about a clip: its rating and notes. */
export interface Review {
  /** 1 to 5. */
  rating: number | undefined;
  notes: TimedNote[];
}

export type ReviewChange =
  | { kind: 'rate'; rating: number | undefined }
  | { kind: 'add'; note: TimedNote }
  | { kind: 'remove'; noteId: string };

export const reviewOf = ({ rating, timedNotes = [] }: Submission): Review => ({ rating, notes: timedNotes });

/**
 * Returns the change of the clip; undefined if the clip has that state already. Fails with `unprocessable` if there are
 * too many notes.
 */
export function changeReview(submission: Submission, change: ReviewChange): Change | undefined {
  const { rating, notes } = reviewOf(submission);
  switch (change.kind) {
    case 'rate':
      return change.rating === rating ? undefined : { set: { rating: change.rating }, events: [] };
    case 'add':
      if (notes.some(({ id }) => id === change.note.id)) return undefined;
      if (notes.length >= LIMITS.timedNotes) throw tooManyNotes();
      return { set: { timedNotes: [...notes, change.note].sort(byTime) }, events: [] };
    case 'remove': {
      const others = notes.filter(({ id }) => id !== change.noteId);
      if (others.length === notes.length) return undefined;
      return { set: { timedNotes: others.length > 0 ? others : undefined }, events: [] };
    }
  }
}

const byTime = (a: TimedNote, b: TimedNote): number =>
  a.atSec - b.atSec || a.createdAt.getTime() - b.createdAt.getTime();

/** Returns the rating of a request; undefined for 0. Fails with `invalid` for any other number beyond 1 to 5. */
export function checkedRating(rating: number): number | undefined {
  if (!Number.isInteger(rating) || rating < 0 || rating > LIMITS.rating)
    throw new DomainError('invalid', `rating must be a whole number from 1 to ${LIMITS.rating}, or null.`);
  return rating || undefined;
}

/** Returns the note. Fails with `invalid`. */
export function checkedNote(note: TimedNote): TimedNote {
  const { atSec, text, id } = note;
  if (!isUuid(id)) throw new DomainError('invalid', 'id must be a UUID.');
  if (!(atSec >= 0 && atSec <= LIMITS.noteAtSec))
    throw new DomainError('invalid', `atSec must be a number from 0 to ${LIMITS.noteAtSec}.`);
  const length = [...text].length;
  refuseControlCharacters('text', text);
  if (length < 1 || length > LIMITS.noteLength)
    throw new DomainError('invalid', `text must have 1 to ${LIMITS.noteLength} characters.`);
  return { ...note, id: id.toLowerCase() };
}

const tooManyNotes = () =>
  new DomainError('unprocessable', `A clip has at most ${LIMITS.timedNotes} notes: remove one first.`, {
    reason: 'too_many_notes',
  });
