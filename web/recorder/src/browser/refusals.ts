import { clock } from '@recording-request/web-shared/clock';
import { Refusal, type RefusalCode } from './api.ts';
import { words } from './page.ts';

// What a server's no means, in the words of the page: by its code or status, never by its sentence.

const REFUSED: Record<RefusalCode, string> = {
  not_video: 'refusedNotVideo',
  too_long: 'refusedTooLong',
  too_large: 'refusedTooLarge',
  answered: 'goneAnswered',
};

/** Why a take was not accepted. `limit` is that of the response, in seconds. */
export const refusedText = (code: RefusalCode | null, limit: number): string =>
  words(code ? REFUSED[code] : 'refusedOther', { limit: clock(limit) });

export interface BeginProblem {
  text: string;
  /** What may help; undefined where nothing does. */
  next: 'again' | 'reload' | undefined;
}

/** Why a response could not begin. */
export function beginProblem(error: unknown): BeginProblem {
  const status = error instanceof Refusal ? error.status : 0;
  if (status === 404 || status === 410) return { text: words('linkGone'), next: undefined };
  // The owner has asked for terms since this page was opened.
  if (status === 400) return { text: words('termsChanged'), next: 'reload' };
  const key = status === 409 ? 'linkBusy' : status === 429 ? 'tooMany' : 'noConnection';
  return { text: words(key), next: 'again' };
}
