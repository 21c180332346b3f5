import { clock } from '@recording-request/web-shared/clock';
import type { Message, Problem, RefusalCode } from './state.ts';

// What a refusal of the server means, in the words of the page: by its code or status, never by its sentence.

const REFUSED: Record<RefusalCode, string> = {
  not_video: 'refusedNotVideo',
  too_long: 'refusedTooLong',
  too_large: 'refusedTooLarge',
  answered: 'goneAnswered',
};

/** Why a take was not accepted. `limit` is that of the response, in seconds. */
export const refusedText = (code: RefusalCode | null, limit: number): Message => [
  code ? REFUSED[code] : 'refusedOther',
  { limit: clock(limit) },
];

/** Why a response could not begin, and what may help. `status` is 0 where no answer came. */
export function beginProblem(status: number): Pick<Problem, 'text' | 'retry'> {
  if (status === 404 || status === 410) return { text: ['linkGone'] };
  // The owner has asked for terms since this page was opened.
  if (status === 400) return { text: ['termsChanged'], retry: { label: 'tryAgain', to: 'reload' } };
  const key = status === 409 ? 'linkBusy' : status === 429 ? 'tooMany' : 'noConnection';
  return { text: [key], retry: { label: 'tryAgain', to: 'welcome' } };
}
