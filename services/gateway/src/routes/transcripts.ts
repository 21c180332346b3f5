import { clipParts, downloadName } from '@recording-request/contract/download-name';
import { SubmissionParams } from '@recording-request/contract/requests';
import { DomainError } from '@recording-request/kit/errors';
import { TranscriptStatus } from '@recording-request/proto/submissions/v1/submissions';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { contentDisposition } from '../domain/content-disposition.ts';
import { owner } from '../plugins/access-kinds.ts';
import { submissionOf } from '../plugins/caller.ts';
import { operation } from '../plugins/operation.ts';
import { sendTextUnlessSame } from './answers.ts';
import { knownName } from './submissions.ts';

export const TRANSCRIPT_FILES = [
  {
    path: 'transcript.txt',
    type: 'text/plain',
    field: 'transcriptText',
    id: 'Text',
    summary: 'The transcript as text',
  },
  { path: 'transcript.vtt', type: 'text/vtt', field: 'transcriptVtt', id: 'Vtt', summary: 'The transcript with times' },
] as const;

/** 404 until the transcript is completed; one without speech is completed and empty. */
export async function sendTranscript(
  request: FastifyRequest,
  reply: FastifyReply,
  context: Context,
  file: (typeof TRANSCRIPT_FILES)[number],
) {
  const target = submissionOf(request);
  const [{ submission }, projectName] = await Promise.all([
    context.services.submissions.getSubmission(target),
    knownName(context, target),
  ]);
  if (submission?.transcriptStatus !== TranscriptStatus.TRANSCRIPT_STATUS_COMPLETED) {
    throw new DomainError('not_found', 'This submission has no finished transcript.');
  }
  const name = downloadName([projectName, ...clipParts(submission)], file.path);
  reply.header('content-disposition', contentDisposition('inline', name));
  return sendTextUnlessSame(request, reply, file.type, submission[file.field] ?? '');
}

export async function transcriptRoutes(app: FastifyInstance, context: Context): Promise<void> {
  for (const file of TRANSCRIPT_FILES) {
    app.get(
      `/api/projects/:projectId/submissions/:submissionId/${file.path}`,
      {
        config: owner('submissions:read'),
        schema: operation({
          id: `getTranscript${file.id}`,
          tag: 'submissions',
          summary: file.summary,
          params: SubmissionParams,
          file: file.type,
          conditional: true,
        }),
      },
      (request, reply) => sendTranscript(request, reply, context, file),
    );
  }
}
