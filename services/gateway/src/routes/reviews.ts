import { presentReview } from '@recording-request/contract/present/review';
import { DashboardSubmissionParams, SubmissionParams } from '@recording-request/contract/requests';
import { ref } from '@recording-request/contract/resources/fields';
import { SubmissionReview, type SubmissionReviewJson } from '@recording-request/contract/resources/review';
import {
  NoteBody,
  type NoteInput,
  NoteParams,
  ReviewBody,
  type ReviewInput,
} from '@recording-request/contract/review-requests';
import { uuidv7 } from '@recording-request/kit/ids';
import type { ChangeReviewRequest, Review } from '@recording-request/proto/submissions/v1/submissions';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { dashboard, owner } from '../plugins/access-kinds.ts';
import { submissionOf } from '../plugins/caller.ts';
import { operation } from '../plugins/operation.ts';
import { sendUnlessSame } from './answers.ts';

const ONE = '/api/projects/:projectId/submissions/:submissionId';

const shown = (submissionId: string, review: Review | undefined): SubmissionReviewJson => {
  if (!review) throw new Error('the reply has no review');
  return presentReview(submissionId, review);
};

export async function reviewRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const { services } = context;
  const json = { 200: ref(SubmissionReview) };

  const read = async (request: FastifyRequest, reply: FastifyReply) => {
    const target = submissionOf(request);
    const { review } = await services.submissions.getReview(target);
    return sendUnlessSame(request, reply, shown(target.submissionId, review));
  };

  const change = async (request: FastifyRequest, wanted: NonNullable<ChangeReviewRequest['change']>) => {
    const target = submissionOf(request);
    const { review } = await services.submissions.changeReview({ ...target, change: wanted });
    return shown(target.submissionId, review);
  };

  app.get(
    `${ONE}/review`,
    {
      config: owner('submissions:read'),
      schema: operation({
        id: 'getReview',
        tag: 'extensions',
        summary: 'The rating and the timed notes of a submission',
        params: SubmissionParams,
        json,
        conditional: true,
      }),
    },
    read,
  );

  app.get(
    '/project/:projectToken/submissions/:submissionId/review',
    {
      config: dashboard,
      schema: operation({
        id: 'dashboardGetReview',
        tag: 'extensions',
        summary: 'The rating and the timed notes of a submission',
        params: DashboardSubmissionParams,
        json,
        conditional: true,
      }),
    },
    read,
  );

  app.put<{ Body: ReviewInput }>(
    `${ONE}/review`,
    {
      config: owner('projects:write'),
      schema: operation({
        id: 'rateSubmission',
        tag: 'extensions',
        summary: 'Rate a submission, or remove its rating',
        params: SubmissionParams,
        body: ReviewBody,
        json,
      }),
    },
    request => change(request, { $case: 'rating', value: request.body.rating ?? 0 }),
  );

  app.post<{ Body: NoteInput }>(
    `${ONE}/notes`,
    {
      config: owner('projects:write'),
      schema: operation({
        id: 'addNote',
        tag: 'extensions',
        summary: 'Write a note at a time of the clip',
        description: 'Send an `id` of your choice, so that a repetition adds no second note.',
        also: { 422: 'The submission has as many notes as it may have: too_many_notes.' },
        params: SubmissionParams,
        body: NoteBody,
        json,
      }),
    },
    request => {
      const { id: noteId = uuidv7(), atSec, text } = request.body;
      return change(request, { $case: 'note', value: { noteId, atSec, text } });
    },
  );

  app.delete<{ Params: { noteId: string } }>(
    `${ONE}/notes/:noteId`,
    {
      config: owner('projects:write'),
      schema: operation({
        id: 'removeNote',
        tag: 'extensions',
        summary: 'Remove a note',
        description: 'An unknown note changes nothing, so that a repetition is safe.',
        params: NoteParams,
        json,
      }),
    },
    request => change(request, { $case: 'removedNoteId', value: request.params.noteId }),
  );
}
