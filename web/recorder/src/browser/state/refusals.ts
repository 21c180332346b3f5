import { clock } from '@recording-request/web-shared/clock';
import type { Message, Problem, RefusalCode } from './state.ts';

// Maps the server's refusals to the page's texts: by code or status, never by the sentence.

const REFUSED: Record<RefusalCode, string> = {
  not_video: 'refusedNotVideo',
  too_long: 'refusedTooLong',
  too_large: 'refusedTooLarge',
  answered: 'goneAnswered',
};

/** Returns the text about a refused take. `limit` is the limit of the response, in seconds. */
export const refusedText = (code: RefusalCode | null, limit: number): Message => [
  code ? REFUSED[code] : 'refusedOther',
  { limit: clock(limit) },
];

/** Returns the text about a response that could not begin, and a remedy. `status` is 0 if the server did not answer. */
export function beginProblem(status: number): Pick<Problem, 'text' | 'retry'> {
  if (status === 404 || status === 410) return { text: ['linkGone'], retry: { label: 'checkAgain', to: 'reload' } };
  // The owner has added terms since the contributor opened this page.
  if (status === 400) return { text: ['termsChanged'], retry: { label: 'tryAgain', to: 'reload' } };
  const key = status === 409 ? 'linkBusy' : status === 429 ? 'tooMany' : 'noConnection';
  return { text: [key], retry: { label: 'tryAgain', to: 'welcome' } };
}
