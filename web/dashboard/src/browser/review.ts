import { announce } from '@recording-request/web-shared/browser/texts';
import { h, render } from 'preact';
import type { Clip } from '../clip.ts';
import { askForToken, mayWrite, write } from './access.ts';
import { sentenceOf } from './api.ts';
import { onClickOf } from './clicks.ts';
import { knownClip, updateSaved } from './held.ts';
import { lookNow } from './live.ts';

export interface Review {
  selected?: boolean;
  reviewNote?: string;
}

/** Saves a review and shows the server's state. Rejects with the reason for a failure. */
export async function save(id: string, review: Review): Promise<Clip> {
  const clip = (await (await write('PATCH', `/submissions/${id}`, review)).json()) as Clip;
  updateSaved(clip);
  lookNow();
  return clip;
}

let toast: HTMLElement | undefined;

function dismiss(): void {
  toast?.remove();
  toast = undefined;
}

/** Shows a failed save with a way to try again. */
export function showFailure(sentence: string, again: () => void): void {
  dismiss();
  toast = document.createElement('div');
  toast.className = 'toast';
  toast.setAttribute('role', 'alert');
  const act = () => {
    dismiss();
    if (mayWrite()) again();
    else askForToken();
  };
  render(
    [
      h('p', null, `That did not work. ${sentence}`),
      h('button', { type: 'button', class: 'small', onClick: act }, mayWrite() ? 'Try again' : 'Enter a token'),
      h('button', { type: 'button', class: 'small', onClick: dismiss }, 'Dismiss'),
    ],
    toast,
  );
  // An open dialog covers everything else, so the dialog contains the message.
  (document.querySelector('dialog[open]') ?? document.body).append(toast);
}

async function select(id: string): Promise<void> {
  const buttons = document.querySelectorAll<HTMLButtonElement>(`[data-id="${id}"] [data-select]`);
  for (const button of buttons) button.setAttribute('aria-busy', 'true');
  try {
    const { selected } = await save(id, { selected: !knownClip(id)?.selected });
    dismiss();
    announce(selected ? 'Selected.' : 'Deselected.');
  } catch (error) {
    showFailure(sentenceOf(error), () => void select(id));
  } finally {
    for (const button of buttons) button.removeAttribute('aria-busy');
  }
}

async function askForTranscript(id: string): Promise<void> {
  try {
    updateSaved((await (await write('POST', `/submissions/${id}/transcript`)).json()) as Clip);
    lookNow();
  } catch (error) {
    showFailure(sentenceOf(error), () => void askForTranscript(id));
  }
}

/** Wires every star and every button that requests a transcript again. */
export function wireReview(): void {
  onClickOf('data-select', button => {
    const id = button.closest<HTMLElement>('[data-id]')?.dataset.id;
    if (id && button.getAttribute('aria-busy') !== 'true') void select(id);
  });
  onClickOf('data-again-for', button => askForTranscript(button.dataset.againFor ?? ''));
}
