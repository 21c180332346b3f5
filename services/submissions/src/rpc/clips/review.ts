import { DomainError } from '@recording-request/kit/errors';
import type {
  ChangeReviewRequest,
  ChangeReviewResponse,
  GetReviewRequest,
  GetReviewResponse,
  Review as ReviewMessage,
} from '@recording-request/proto/submissions/v1/submissions';
import type { Context } from '../../context.ts';
import {
  changeReview as change,
  checkedNote,
  checkedRating,
  type ReviewChange,
  reviewOf,
} from '../../domain/clips/review.ts';
import type { Submission } from '../../domain/clips/submission.ts';
import { found } from './get-submission.ts';

export const getReview =
  ({ submissions }: Pick<Context, 'submissions'>) =>
  async ({ ownerId, projectId, submissionId }: GetReviewRequest): Promise<GetReviewResponse> => ({
    review: toReview(found(await submissions.find(ownerId, projectId, submissionId))),
  });

export const changeReview =
  ({ submissions }: Pick<Context, 'submissions'>) =>
  async (request: ChangeReviewRequest): Promise<ChangeReviewResponse> => {
    const wanted = changeOf(request);
    const after = await submissions.change(request, submission => change(submission, wanted));
    return { review: toReview(found(after)) };
  };

function changeOf({ change: wanted }: ChangeReviewRequest): ReviewChange {
  switch (wanted?.$case) {
    case 'rating':
      return { kind: 'rate', rating: checkedRating(wanted.value) };
    case 'note': {
      const { noteId: id, atSec, text } = wanted.value;
      return { kind: 'add', note: checkedNote({ id, atSec, text, createdAt: new Date() }) };
    }
    case 'removedNoteId':
      return { kind: 'remove', noteId: wanted.value.toLowerCase() };
    default:
      throw new DomainError('invalid', 'The request names no change.');
  }
}

function toReview(submission: Submission): ReviewMessage {
  const { rating, notes } = reviewOf(submission);
  return { rating, notes: notes.map(({ id, ...note }) => ({ ...note, noteId: id })) };
}
