/** Schemas of the requests about reviews. */
import Type, { type Static } from 'typebox';
import { LIMITS } from './limits.ts';
import { plainText } from './request-fields.ts';
import { SubmissionParams } from './requests.ts';

const strict = { additionalProperties: false } as const;

export const ratingInput = Type.Unsafe<number | null>({
  anyOf: [{ type: 'integer', minimum: 1, maximum: LIMITS.rating }, { type: 'null' }],
  description: `1 to ${LIMITS.rating}; null removes the rating.`,
  'x-constraint': `must be a whole number from 1 to ${LIMITS.rating}, or null`,
});

/** The body of PUT /api/projects/<projectId>/submissions/<submissionId>/review. */
export const ReviewBody = Type.Object({ rating: ratingInput }, strict);
export type ReviewInput = Static<typeof ReviewBody>;

export const noteInput = {
  id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'An id of your choice. A repetition with the same id adds no second note.',
    }),
  ),
  atSec: Type.Number({
    minimum: 0,
    maximum: LIMITS.noteAtSec,
    description: 'The time in the clip, in seconds.',
    'x-constraint': `must be a number from 0 to ${LIMITS.noteAtSec}`,
  }),
  text: Type.String({
    ...plainText(LIMITS.noteLength, 'The note.'),
    minLength: 1,
    'x-constraint': `must have 1 to ${LIMITS.noteLength} characters, and no control characters but white space`,
  }),
};

/** The body of POST /api/projects/<projectId>/submissions/<submissionId>/notes. */
export const NoteBody = Type.Object(noteInput, strict);
export type NoteInput = Static<typeof NoteBody>;

export const NoteParams = Type.Object({
  ...SubmissionParams.properties,
  noteId: Type.String({ format: 'uuid', description: 'The note.' }),
});
