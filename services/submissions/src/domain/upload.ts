import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';

/** Why an upload was refused. `answered`: another clip is the answer already. */
export type RefusalReason = 'not_video' | 'too_long' | 'answered';

export type UploadState = 'uploading' | 'finishing' | 'landed' | 'refused' | 'deleted';

/** Bytes that were acknowledged, as one immutable object. */
export interface Part {
  key: string;
  offset: number;
  size: number;
}

/** A take on its way in. */
export interface Upload {
  id: string;
  state: UploadState;
  linkId: string;
  projectId: string;
  ownerId: string;
  responseId: string;
  /** 0 outside interviews. */
  questionIndex: number;
  filetype: string;
  note: string;
  /** Whether transcription was on when the upload was created. */
  transcription: boolean;
  /** What the client declared, in bytes; declaring it is sending. Undefined until then. */
  length: number | undefined;
  offset: number;
  parts: Part[];
  createdAt: Date;
  lastByteAt: Date;
  renewedAt: Date | undefined;
  /** The four are set from `finishing` on. */
  submissionId: string | undefined;
  finishingAt: Date | undefined;
  sha256: string | undefined;
  incomplete: boolean;
  /** Why it was refused, for the contributor. */
  error: string | undefined;
  refusal: RefusalReason | undefined;
  /** Whether it was refused because another clip is the answer already. */
  superseded: boolean;
  /** Whether it was erased: only its prefix in the object store is of interest still. */
  emptied?: boolean;
}

export interface UploadMetadata {
  responseSessionId: string;
  filetype: string;
  /** Undefined where it was not said. */
  questionIndex: number | undefined;
  note: string;
}

const NOTE_CHARACTERS = 2_000;

/** Refuses a note of more than 2,000 characters, counted as the contract counts them: by code points. */
export function checkNote(note: string): void {
  if (note.length > NOTE_CHARACTERS && [...note].length > NOTE_CHARACTERS)
    throw new DomainError('invalid', `note must have at most ${NOTE_CHARACTERS} characters.`);
}

// What a browser's recorder or a phone's camera writes.
const FILE_TYPE = /^video\/(webm|mp4|x-matroska|quicktime|3gpp)\s*(;.*)?$/i;

/** Reads `Upload-Metadata`, or says which key of it is wrong. */
export function parseUploadMetadata(raw: Record<string, string | null> | undefined): UploadMetadata {
  const { responseSessionId = '', filetype = '', questionIndex = '', note = '' } = raw ?? {};
  if (!isUuid(responseSessionId ?? ''))
    throw new DomainError(
      'invalid',
      'Upload-Metadata must carry responseSessionId, the uuid that POST …/responses gave.',
    );
  if (filetype && !FILE_TYPE.test(filetype))
    throw new DomainError('invalid', 'Upload-Metadata: filetype must be a video type such as video/webm or video/mp4.');
  if (questionIndex && !/^\d{1,4}$/.test(questionIndex))
    throw new DomainError('invalid', 'Upload-Metadata: questionIndex must be the zero-based position of a question.');
  checkNote(note ?? '');
  return {
    responseSessionId: responseSessionId!.toLowerCase(),
    filetype: (filetype ?? '').split(';')[0]!.trim().toLowerCase(),
    questionIndex: questionIndex ? Number(questionIndex) : undefined,
    note: note ?? '',
  };
}

/** The position of the question that is answered; 0 where there is no choice. Refuses a question that the response does not have. */
export function questionOf({ questionIndex }: UploadMetadata, questions: string[]): number {
  const last = Math.max(questions.length, 1) - 1;
  if (questionIndex === undefined && last > 0)
    throw new DomainError(
      'invalid',
      `Upload-Metadata must carry questionIndex for this link: which of its questions 0 to ${last} is answered.`,
    );
  const at = questionIndex ?? 0;
  if (at > last)
    throw new DomainError('invalid', `Upload-Metadata: questionIndex must be at most ${last} for this link.`);
  return at;
}

/** The sentence for a take that runs longer than its link allows, or undefined. */
export function tooLong(durationSec: number, maxDurationSec: number, graceSec: number): string | undefined {
  if (durationSec <= maxDurationSec + graceSec) return undefined;
  return `This take is ${Math.round(durationSec)} seconds long; record one of at most ${maxDurationSec} seconds.`;
}

const CONTAINER_TYPES: Record<string, string> = { webm: 'video/webm', matroska: 'video/x-matroska', mp4: 'video/mp4' };

/** The MIME type of the bytes as they came: what a scan found, else what the client said. */
export const mimeTypeOf = (container: string | undefined, filetype: string): string =>
  CONTAINER_TYPES[container ?? ''] ?? (filetype || 'application/octet-stream');

const EXTENSIONS: Record<string, string> = {
  'video/webm': 'webm',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/3gpp': '3gp',
  'video/x-matroska': 'mkv',
  'audio/mp4': 'm4a',
  'image/jpeg': 'jpg',
};

/** The usual file extension, without a dot. */
export const extensionOf = (mimeType: string): string => EXTENSIONS[mimeType] ?? 'bin';

export const uploadPrefix = (uploadId: string): string => `uploads/${uploadId}/`;

/** A key is used once: a writer that lost its lease must not change what another one stored at the same offset. */
export const partKey = (uploadId: string, offset: number, writerId: string): string =>
  `${uploadPrefix(uploadId)}${String(offset).padStart(16, '0')}-${writerId}`;

export const projectPrefix = (projectId: string): string => `submissions/${projectId}/`;

export const submissionPrefix = (projectId: string, submissionId: string): string =>
  `${projectPrefix(projectId)}${submissionId}/`;

/** What may be under a submission's prefix as an upload in parts: the upload as it came, and what the media worker makes. */
export const LARGE_OBJECTS = ['source', 'video.webm', 'video.mp4', 'video.mkv', 'audio.m4a'] as const;

export const sourceKey = (projectId: string, submissionId: string): string =>
  `${submissionPrefix(projectId, submissionId)}source`;
