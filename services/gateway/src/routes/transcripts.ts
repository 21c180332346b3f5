import { clipParts, downloadName } from '@recording-request/contract/download-name';
import { SubmissionParams } from '@recording-request/contract/requests';
import { srtOf } from '@recording-request/contract/srt';
import { DomainError } from '@recording-request/kit/errors';
import { type Submission, TranscriptStatus } from '@recording-request/proto/submissions/v1/submissions';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { contentDisposition } from '../domain/content-disposition.ts';
import { owner } from '../plugins/access-kinds.ts';
import { submissionOf } from '../plugins/caller.ts';
import { operation } from '../plugins/operation.ts';
import { sendTextUnlessSame } from './answers.ts';
import { knownName } from './submissions.ts';

interface TranscriptFile {
  /** The last segment of its path. */
  path: string;
  type: string;
  /** The last part of its operation's id. */
  id: string;
  tag: 'submissions' | 'extensions';
  summary: string;
  textOf(submission: Submission): string;
}

export const TRANSCRIPT_FILES: TranscriptFile[] = [
  {
    path: 'transcript.txt',
    type: 'text/plain',
    id: 'Text',
    tag: 'submissions',
    summary: 'The transcript as text',
    textOf: ({ transcriptText = '' }) => transcriptText,
  },
  {
    path: 'transcript.vtt',
    type: 'text/vtt',
    id: 'Vtt',
    tag: 'submissions',
    summary: 'The transcript with times',
    textOf: ({ transcriptVtt = '' }) => transcriptVtt,
  },
  {
    path: 'transcript.srt',
    type: 'application/x-subrip',
    id: 'Srt',
    tag: 'extensions',
    summary: 'The transcript with times, as SubRip',
    textOf: ({ transcriptVtt = '' }) => srtOf(transcriptVtt),
  },
];

/** Sends a transcript; 404 until it is completed. A clip without speech has a completed, empty transcript. */
export async function sendTranscript(
  request: FastifyRequest,
  reply: FastifyReply,
  context: Context,
  file: TranscriptFile,
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
  return sendTextUnlessSame(request, reply, file.type, file.textOf(submission));
}

export async function transcriptRoutes(app: FastifyInstance, context: Context): Promise<void> {
  for (const file of TRANSCRIPT_FILES) {
    app.get(
      `/api/projects/:projectId/submissions/:submissionId/${file.path}`,
      {
        config: owner('submissions:read'),
        schema: operation({
          id: `getTranscript${file.id}`,
          tag: file.tag,
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
