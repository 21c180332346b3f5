import { DomainError } from '@recording-request/kit/errors';
import type { Inspection } from '@recording-request/proto/media/v1/media';
import type { Response } from '@recording-request/proto/projects/v1/projects';
import { landedEvents, type Submission } from './submission.ts';
import { mimeTypeOf, type RefusalReason, sourceKey, tooLong, type Upload } from './upload.ts';

/** What landing needs from outside; each step can be repeated without another effect. */
export interface LandingPorts {
  /** The response, with the settings it was begun with. */
  response(upload: Upload): Promise<Response>;
  /** Puts the parts together under `key`; resolves to the hex SHA-256 once the whole is verified. Undefined: not held any more. */
  assemble(upload: Upload, key: string): Promise<string | undefined>;
  /** What the bytes are; undefined when nobody answered in time; `unprocessable` when they are no video. */
  inspect(key: string): Promise<Inspection | undefined>;
  /** Whether this process still has the right to make it land, which it keeps then. */
  holds(upload: Upload): Promise<boolean>;
  landClip(upload: Upload, submissionId: string): Promise<boolean>;
  /** False: it was erased meanwhile. */
  store(submission: Submission, events: ReturnType<typeof landedEvents>): Promise<boolean>;
  landed(upload: Upload): Promise<void>;
  /** `error` is for the contributor. False, and nothing was removed: not held any more. */
  refused(upload: Upload, reason: RefusalReason, error: string): Promise<boolean>;
  graceSec: number;
}

/**
 * Makes an upload that is `finishing` a submission, or refuses it. Can be stopped at any line and begun again: the end
 * is the same, and what another process did in between is found, not done again. `lost`: another process has taken it
 * over, and the end is that one's.
 */
export async function land(upload: Upload, ports: LandingPorts): Promise<'landed' | 'refused' | 'lost'> {
  const submissionId = upload.submissionId!;
  const refuse = async (reason: RefusalReason, error: string) =>
    (await ports.refused(upload, reason, error)) ? 'refused' : 'lost';
  const response = await ports.response(upload);
  const key = sourceKey(upload.projectId, submissionId);
  const sha256 = upload.sha256 ?? (await ports.assemble(upload, key));
  if (sha256 === undefined) return 'lost';
  const verdict = await inspect(key, response, ports);
  // What became the answer in an earlier turn, when nobody could look at it, may be delivered: it is refused no more.
  const isAnswer = response.answers.some(answer => answer.submissionId === submissionId);
  if ('refusal' in verdict && !isAnswer) return await refuse(verdict.reason, verdict.refusal);
  const inspection = 'refusal' in verdict ? undefined : verdict.inspection;
  // A process that slept past its lease must not deliver what another one refused meanwhile.
  if (!(await ports.holds(upload))) return 'lost';
  if (!(await ports.landClip(upload, submissionId)))
    return await refuse('answered', 'This question was answered already, here or on another device.');
  const submission = submissionOf(upload, response, sha256, inspection);
  // Told as an answer that is there already: neither can be sent again.
  if (!(await ports.store(submission, landedEvents(submission, inspection))))
    return await refuse('answered', 'This take was removed by the operator of this service.');
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
