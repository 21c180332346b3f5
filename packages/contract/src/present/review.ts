import type { Review } from '@recording-request/proto/submissions/v1/submissions';
import { isoDate } from '../dates.ts';
import type { SubmissionReviewJson } from '../resources/review.ts';

/** Presents the review of a submission, which lists do not contain. */
export function presentReview(submissionId: string, { rating, notes }: Review): SubmissionReviewJson {
  return {
    submissionId,
    rating: rating ?? null,
    notes: notes.map(({ noteId: id, atSec, text, createdAt }) => ({
      ...{ id, atSec, text, author: null, createdAt: isoDate(createdAt, 'createdAt') },
    })),
  };
}
