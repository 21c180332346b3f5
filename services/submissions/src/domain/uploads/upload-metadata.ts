import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';
import { refuseControlCharacters } from '@recording-request/kit/plain-text';

export interface UploadMetadata {
  responseSessionId: string;
  /** Undefined when the client did not send it. */
  questionIndex: number | undefined;
  note: string;
  /** How the contributor answers: video, audio or file. Undefined when the client did not say. */
  answerMode: string | undefined;
  /** True if the contributor signs. */
  signed: boolean;
}

/** Refuses a note with control characters or with more than `maxLength` code points. */
export function checkNote(note: string, maxLength: number): void {
  refuseControlCharacters('note', note);
  if (note.length > maxLength && [...note].length > maxLength)
    throw new DomainError('invalid', `note must have at most ${maxLength} characters.`);
}

const MODES = ['video', 'audio', 'file'];
/** A client that names no mode may do either. */
const UNSAID = ['video', 'file'];
const listed = (modes: string[]): string => new Intl.ListFormat('en', { type: 'disjunction' }).format(modes);

// A media type of RFC 9110, with or without parameters. It is only a hint: the bytes determine the type.
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;[\t -~]*)?$/;

/** Parses `Upload-Metadata`. Fails with a sentence that names the invalid key. */
export function parseUploadMetadata(
  raw: Record<string, string | null> | undefined,
  { noteLength }: { noteLength: number },
): UploadMetadata {
  const { responseSessionId = '', filetype = '', questionIndex = '', note = '', answerMode, signed } = raw ?? {};
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
  if (answerMode && !MODES.includes(answerMode))
    throw new DomainError('invalid', `Upload-Metadata: answerMode must be ${listed(MODES)}, or be left out.`);
  if (signed && signed !== 'true' && signed !== 'false')
    throw new DomainError('invalid', 'Upload-Metadata: signed must be true or false, or be left out.');
  return {
    responseSessionId: responseSessionId!.toLowerCase(),
    questionIndex: questionIndex ? Number(questionIndex) : undefined,
    note: note ?? '',
    answerMode: answerMode || undefined,
    signed: signed === 'true',
  };
}

/**
 * Fails for an answer in a way that the response does not allow. A client that does not say how is accepted only where
 * it may record and may send a file. An empty list is that of an older sender: video and file.
 */
export function checkAnswerMode({ answerMode }: Pick<UploadMetadata, 'answerMode'>, answerModes: string[]): void {
  const allowed = answerModes.length > 0 ? answerModes : UNSAID;
  const given = answerMode === undefined ? UNSAID : [answerMode];
  if (given.every(mode => allowed.includes(mode))) return;
  const rule = `answerMode must be ${listed(allowed)} for this link`;
  const sentence =
    answerMode === undefined ? `Upload-Metadata: ${rule}.` : `Upload-Metadata: ${rule}, not ${answerMode}.`;
  throw new DomainError('invalid', sentence, { reason: 'answer_mode_refused' });
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
