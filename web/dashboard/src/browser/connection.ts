import { el } from '../tree.ts';
import { Refusal, sentenceOf } from './api.ts';
import { byId, fill } from './dom.ts';

// Whether the page can still ask the server, told in words over what it shows.

let trouble = '';
let again: (() => void) | undefined;

/** True once the dashboard's address stopped working: nothing is asked any more. */
export let ended = false;

/** What "Try again" does. */
export function onTryAgain(act: () => void): void {
  again = act;
  byId('banner').addEventListener('click', event => {
    if ((event.target as Element).closest('button')) again?.();
  });
}

export function works(): void {
  if (trouble) {
    trouble = '';
    byId('banner').hidden = true;
  }
  byId('fresh').textContent = 'Up to date: new clips appear here by themselves.';
}

/** Tells why an answer stayed away. What is shown stays, as it was. */
export function failed(error: unknown): void {
  if (ended) return;
  if (error instanceof Refusal && error.status === 404) {
    end();
    return;
  }
  const words = troubleOf(error);
  byId('fresh').textContent = 'Not up to date.';
  if (trouble === words) return;
  trouble = words;
  const banner = byId('banner');
  fill(banner, [el('p', {}, words), el('button', { type: 'button', class: 'small' }, 'Try again')]);
  banner.hidden = false;
}

function troubleOf(error: unknown): string {
  if (error instanceof Refusal) {
    if (error.status === 429) return 'Too many questions at once. This page goes on by itself in a moment.';
    if (error.status >= 500)
      return 'A part of the service is not answering. What you see may be old; the page keeps trying.';
    return sentenceOf(error);
  }
  return navigator.onLine
    ? 'The service cannot be reached. What you see may be old; the page keeps trying.'
    : 'You are offline. What you see may be old; the page goes on when you are back.';
}

/** The address was replaced: nothing that it showed stays on the screen. */
function end(): void {
  ended = true;
  document.title = 'Dashboard closed';
  for (const element of document.querySelectorAll('dialog, #settings')) element.remove();
  const main = document.createElement('main');
  main.className = 'problem';
  fill(main, [
    el('h1', { tabindex: -1 }, 'This dashboard has moved'),
    el(
      'p',
      {},
      'Its address was replaced by a new one, and this one shows nothing any more. Whoever runs this project has the address that works.',
    ),
  ]);
  document.body.replaceChildren(main);
  main.querySelector('h1')?.focus();
}
