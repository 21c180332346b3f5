import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';

export interface UploadMetadata {
  responseSessionId: string;
  filetype: string;
  /** Undefined where it was not said. */
  questionIndex: number | undefined;
  note: string;
}

/** Refuses a note of more than `maxLength` characters, counted as the contract counts them: by code points. */
export function checkNote(note: string, maxLength: number): void {
  if (note.length > maxLength && [...note].length > maxLength)
    throw new DomainError('invalid', `note must have at most ${maxLength} characters.`);
}

// The types that a browser's recorder or a phone's camera writes.
const FILE_TYPE = /^video\/(webm|mp4|x-matroska|quicktime|3gpp)\s*(;.*)?$/i;

/** Reads `Upload-Metadata`, or says which key of it is wrong. */
export function parseUploadMetadata(
  raw: Record<string, string | null> | undefined,
  { noteLength }: { noteLength: number },
): UploadMetadata {
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
  checkNote(note ?? '', noteLength);
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
