import { DomainError } from '@recording-request/kit/errors';
import type { Inspection } from '@recording-request/proto/media/v1/media';
import type { Response } from '@recording-request/proto/projects/v1/projects';
import { landedEvents, type Submission } from './submission.ts';
import { mimeTypeOf, type RefusalReason, sourceKey, tooLong, type Upload } from './upload.ts';

/** What landing needs from outside; each step can be repeated without another effect. */
export interface LandingPorts {
  /** The response, with the settings it was begun with. */
  response(upload: Upload): Promise<Response>;
  /** Puts the parts together under `key`; resolves to the hex SHA-256 once the whole is verified. */
  assemble(upload: Upload, key: string): Promise<string>;
  /** What the bytes are; undefined when nobody answered in time; `unprocessable` when they are no video. */
  inspect(key: string): Promise<Inspection | undefined>;
  landClip(upload: Upload, submissionId: string): Promise<boolean>;
  /** False: it was erased meanwhile. */
  store(submission: Submission, events: ReturnType<typeof landedEvents>): Promise<boolean>;
  landed(upload: Upload): Promise<void>;
  /** `error` is for the contributor. */
  refused(upload: Upload, reason: RefusalReason, error: string): Promise<void>;
  graceSec: number;
}

/**
 * Makes an upload that is `finishing` a submission, or refuses it. Can be stopped at any line and begun again: the end
 * is the same, and what another process did in between is found, not done again.
 */
export async function land(upload: Upload, ports: LandingPorts): Promise<'landed' | 'refused'> {
  const submissionId = upload.submissionId!;
  const key = sourceKey(upload.projectId, submissionId);
  const response = await ports.response(upload);
  const sha256 = upload.sha256 ?? (await ports.assemble(upload, key));
  const verdict = await inspect(key, response, ports);
  if ('refusal' in verdict) {
    await ports.refused(upload, verdict.reason, verdict.refusal);
    return 'refused';
  }
  if (!(await ports.landClip(upload, submissionId))) {
    await ports.refused(upload, 'answered', 'This question was answered already, here or on another device.');
    return 'refused';
  }
  const submission = submissionOf(upload, response, sha256, verdict.inspection);
  if (!(await ports.store(submission, landedEvents(submission, verdict.inspection)))) {
    // Told as an answer that is there already: neither can be sent again.
    await ports.refused(upload, 'answered', 'This take was removed by the operator of this service.');
    return 'refused';
  }
  await ports.landed(upload);
  return 'landed';
}

type Verdict = { reason: RefusalReason; refusal: string } | { inspection: Inspection | undefined };

async function inspect(key: string, response: Response, ports: LandingPorts): Promise<Verdict> {
  try {
    const inspection = await ports.inspect(key);
    const limit = response.settings?.maxDurationSec ?? Number.POSITIVE_INFINITY;
    const refusal = inspection && tooLong(inspection.durationSec, limit, ports.graceSec);
    return refusal ? { reason: 'too_long', refusal } : { inspection };
  } catch (error) {
    if (error instanceof DomainError && error.code === 'unprocessable')
      return { reason: 'not_video', refusal: error.message };
    throw error;
  }
}

/** The submission that an upload becomes. */
export function submissionOf(
  upload: Upload,
  response: Response,
  sha256: string,
  inspection: Inspection | undefined,
): Submission {
  const questions = response.settings?.interviewQuestions ?? [];
  const interview = questions.length > 0;
  const terms = response.terms;
  return {
    id: upload.submissionId!,
    projectId: upload.projectId,
    ownerId: upload.ownerId,
    linkId: upload.linkId,
    responseId: upload.responseId,
    interview,
    questionIndex: upload.questionIndex,
    questionText: interview ? questions[upload.questionIndex] : undefined,
    createdAt: upload.finishingAt!,
    changedAt: upload.finishingAt!,
    durationSec: inspection?.durationSec,
    note: (response.settings?.noteEnabled && upload.note) || undefined,
    reviewNote: undefined,
    selected: false,
    transcriptStatus: firstTranscriptState(upload.transcription, inspection),
    transcriptText: undefined,
    transcriptVtt: undefined,
    transcriptError: undefined,
    transcriptRequest: 0,
    terms: terms?.acceptedAt && { sha256: terms.sha256, text: terms.text, acceptedAt: terms.acceptedAt },
    mediaStatus: 'processing',
    mediaError: undefined,
    mediaAsks: 1,
    askedAt: new Date(),
    source: {
      key: sourceKey(upload.projectId, upload.submissionId!),
      size: upload.offset,
      mimeType: mimeTypeOf(inspection?.container, upload.filetype),
      sha256,
      crc32: undefined,
    },
    video: undefined,
    audio: undefined,
    thumbnails: [],
    incomplete: upload.incomplete,
    sha256,
  };
}

function firstTranscriptState(wanted: boolean, inspection: Inspection | undefined): Submission['transcriptStatus'] {
  if (!wanted) return 'disabled';
  return inspection && !inspection.hasAudio ? 'none' : 'pending';
}
