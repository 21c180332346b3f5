import { el } from '../tree.ts';
import type { Clip } from '../words.ts';
import { askForToken, mayWrite, write } from './access.ts';
import { sentenceOf } from './api.ts';
import { announce, buildOne, fill, onClickOf } from './dom.ts';
import { knownClip, updateSaved } from './held.ts';
import { lookNow } from './live.ts';

export interface Review {
  selected?: boolean;
  reviewNote?: string;
}

/** Saves, and shows what the server has then. Rejects with why it could not. */
export async function save(id: string, review: Review): Promise<Clip> {
  const clip = (await (await write('PATCH', `/submissions/${id}`, review)).json()) as Clip;
  updateSaved(clip);
  lookNow();
  return clip;
}

let toast: HTMLElement | undefined;

/** Tells what was not saved, with a way to try again. */
export function tellFailure(sentence: string, again: () => void): void {
  toast?.remove();
  toast = buildOne(el('div', { class: 'toast', role: 'alert' }));
  fill(toast, [
    el('p', {}, `Not done. ${sentence}`),
    el('button', { type: 'button', class: 'small', 'data-again': true }, mayWrite() ? 'Try again' : 'Give a token'),
    el('button', { type: 'button', class: 'small', 'data-dismiss': true }, 'Dismiss'),
  ]);
  toast.querySelector('[data-again]')?.addEventListener('click', () => {
    toast?.remove();
    if (mayWrite()) again();
    else askForToken();
  });
  toast.querySelector('[data-dismiss]')?.addEventListener('click', () => toast?.remove());
  // Above a dialog, which is on top of everything else.
  (document.querySelector('dialog[open]') ?? document.body).append(toast);
}

async function select(id: string): Promise<void> {
  const buttons = document.querySelectorAll<HTMLButtonElement>(`[data-id="${id}"] [data-select]`);
  for (const button of buttons) button.setAttribute('aria-busy', 'true');
  try {
    const { selected } = await save(id, { selected: !knownClip(id)?.selected });
    toast?.remove();
    announce(selected ? 'Selected.' : 'No longer selected.');
  } catch (error) {
    tellFailure(sentenceOf(error), () => void select(id));
  } finally {
    for (const button of buttons) button.removeAttribute('aria-busy');
  }
}

async function askForTranscript(id: string): Promise<void> {
  try {
    updateSaved((await (await write('POST', `/submissions/${id}/transcript`)).json()) as Clip);
    lookNow();
  } catch (error) {
    tellFailure(sentenceOf(error), () => void askForTranscript(id));
  }
}

/** Every star on the page, and what asks again for a transcript. */
export function wireReview(): void {
  onClickOf('data-select', button => {
    const id = button.closest<HTMLElement>('[data-id]')?.dataset.id;
    if (id && button.getAttribute('aria-busy') !== 'true') void select(id);
  });
  onClickOf('data-again-for', button => askForTranscript(button.dataset.againFor ?? ''));
}
