import { chunkOf } from '@recording-request/web-shared/browser/chunk';
import { nextQuestion } from '../../questions.ts';
import type { RecorderSettings } from '../../settings.ts';

// The parts of the first view that the script reads or changes once.

type Asked = Pick<RecorderSettings, 'questionCount' | 'nextQuestion' | 'answered'>;

/** Returns the questions of the page's cards and the next question; "" for the others, until the response has begun. */
export function knownQuestions({ questionCount, nextQuestion: next, answered }: Asked): string[] {
  const cards = [...document.querySelectorAll('.questions [dir="auto"]')].map(({ textContent }) => textContent ?? '');
  const known = Array.from({ length: questionCount }, (_, index) => cards[index] ?? '');
  if (next) known[nextQuestion(questionCount, answered)] = next;
  return known;
}

/** Shows times in the browser's zone; the server does not know it. */
export function showLocalTimes(lang: string): void {
  const format = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeStyle: 'short' });
  for (const time of document.querySelectorAll('time')) time.textContent = format.format(new Date(time.dateTime));
}

/** Loads the questions that the page left out when they unfold. `trouble` is shown if this fails; unfold again to retry. */
export function loadOnUnfold(answered: readonly number[], trouble: string): void {
  const fold = document.querySelector<HTMLDetailsElement>('details[data-more]');
  const chunk = chunkOf(() => import('../chunks/more-questions.ts'));
  fold?.addEventListener('toggle', () => {
    if (!fold.open) return;
    fold.querySelector('.warning')?.remove();
    chunk()
      .then(({ addCards }) => addCards(fold, answered))
      .catch(() => {
        const warning = document.createElement('p');
        warning.className = 'warning';
        warning.setAttribute('role', 'alert');
        warning.textContent = trouble;
        fold.append(warning);
      });
  });
}
