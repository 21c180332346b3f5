import { DomainError } from '@recording-request/kit/errors';
import type { ClientOf } from '@recording-request/kit/grpc-client';
import type { ProjectsServiceServer } from '@recording-request/proto/projects/v1/projects';
import type { TusServerOptions } from '../adapters/tus-server.ts';
import { parseUploadMetadata, questionOf } from '../domain/upload.ts';
import type { UploadStore } from '../store/uploads.ts';

// A contributor who retakes again and again is welcome; one who fills the store is not.
const OPEN_UPLOADS_MAX = 20;

/** Decides whether an upload may be created: its response must be begun, its question open. */
export function createAdmission(
  uploads: UploadStore,
  projects: ClientOf<ProjectsServiceServer>,
): TusServerOptions['admit'] {
  return async (caller, id, rawMetadata) => {
    const metadata = parseUploadMetadata(rawMetadata);
    const key = { linkId: caller.linkId, responseSessionId: metadata.responseSessionId };
    const [{ response }, others, note] = await Promise.all([
      projects.getResponse(key),
      uploads.ofResponse(key.linkId, key.responseSessionId),
      uploads.noteOf(key.linkId, key.responseSessionId, metadata.questionIndex ?? 0),
    ]);
    const settings = response!.settings!;
    const questionIndex = questionOf(metadata, settings.interviewQuestions);
    if (response!.answers.some(answer => answer.questionIndex === questionIndex))
      throw new DomainError('gone', 'This answer was sent already, from this device or another.');
    // What is still being looked at may be refused: then this device can go on.
    if (others.some(other => other.questionIndex === questionIndex && other.state === 'finishing'))
      throw new DomainError('conflict', 'This answer is being sent already; try again in a moment.');
    if (others.filter(other => other.state === 'uploading').length >= OPEN_UPLOADS_MAX)
      throw new DomainError(
        'conflict',
        `At most ${OPEN_UPLOADS_MAX} uploads of a response can be open; end one first.`,
      );
    const now = new Date();
    return {
      id,
      state: 'uploading',
      ...caller,
      responseId: metadata.responseSessionId,
      questionIndex,
      filetype: metadata.filetype,
      note: metadata.note || note,
      transcription: settings.transcriptionEnabled,
      length: undefined,
      offset: 0,
      parts: [],
      createdAt: now,
      lastByteAt: now,
      renewedAt: undefined,
      submissionId: undefined,
      finishingAt: undefined,
      sha256: undefined,
      incomplete: false,
      error: undefined,
      refusal: undefined,
      superseded: false,
    };
  };
}
