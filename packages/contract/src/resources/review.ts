import Type, { type Static } from 'typebox';
import { dateTime, nullableText, ref, resource, text, uuid } from './fields.ts';
import { rating } from './submission.ts';

export const TimedNote = Type.Object(
  {
    id: uuid('The note.'),
    atSec: Type.Number({ minimum: 0, description: 'The time in the clip, in seconds.' }),
    text: text('The note.'),
    author: nullableText('The name of the guest who wrote it; null: the owner.'),
    createdAt: dateTime('When it was written.'),
  },
  { $id: 'TimedNote', ...resource },
);
export type TimedNoteJson = Static<typeof TimedNote>;

export const SubmissionReview = Type.Object(
  {
    submissionId: uuid('The submission.'),
    rating,
    notes: Type.Array(ref(TimedNote), { description: 'In the order of the clip.' }),
  },
  { $id: 'SubmissionReview', ...resource },
);
export type SubmissionReviewJson = Static<typeof SubmissionReview>;
