import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';
import { refuseControlCharacters } from '@recording-request/kit/plain-text';

export interface UploadMetadata {
  responseSessionId: string;
  /** Undefined when the client did not send it. */
  questionIndex: number | undefined;
  note: string;
}

/** Refuses a note with control characters or with more than `maxLength` code points. */
export function checkNote(note: string, maxLength: number): void {
  refuseControlCharacters('note', note);
  if (note.length > maxLength && [...note].length > maxLength)
    throw new DomainError('invalid', `note must have at most ${maxLength} characters.`);
}

// A media type of RFC 9110, with or without parameters. It is only a hint: the bytes determine the type.
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;[\t -~]*)?$/;

/** Parses `Upload-Metadata`. Fails with a sentence that names the invalid key. */
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
  if (filetype && !MEDIA_TYPE.test(filetype))
    throw new DomainError(
      'invalid',
      'Upload-Metadata: filetype must be a media type such as video/webm, or be left out.',
    );
  if (questionIndex && !/^\d{1,4}$/.test(questionIndex))
    throw new DomainError('invalid', 'Upload-Metadata: questionIndex must be the zero-based position of a question.');
  checkNote(note ?? '', noteLength);
  return {
    responseSessionId: responseSessionId!.toLowerCase(),
    questionIndex: questionIndex ? Number(questionIndex) : undefined,
    note: note ?? '',
  };
}

/**
 * Returns the index of the answered question; 0 when the response has at most one question. Fails for a question that
 * the response does not have.
 */
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
