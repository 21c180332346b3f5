import { Refusal } from '@recording-request/web-shared/browser/requests';
import { h, render } from 'preact';
import { sentenceOf } from './api.ts';
import { elements } from './elements.ts';

// Shows, above the content, whether the page can reach the server.

const { banner, fresh } = elements;
let trouble = '';
let again: (() => void) | undefined;

/** True when the dashboard's URL has stopped working. The page then sends no more requests. */
export let ended = false;

/** Sets the action of "Try again". */
export function onTryAgain(act: () => void): void {
  again = act;
}

export function works(): void {
  if (trouble) {
    trouble = '';
    banner.hidden = true;
  }
  fresh.textContent = 'Up to date. New clips appear automatically.';
}

/** Shows the reason for a failed request. The content stays. */
export function failed(error: unknown): void {
  if (ended) return;
  if (error instanceof Refusal && error.status === 404) {
    end();
    return;
  }
  const sentence = troubleOf(error);
  fresh.textContent = 'Not up to date.';
  if (trouble === sentence) return;
  trouble = sentence;
  const button = h('button', { type: 'button', class: 'small', onClick: () => again?.() }, 'Try again');
  render([h('p', null, sentence), button], banner);
  banner.hidden = false;
}

function troubleOf(error: unknown): string {
  if (error instanceof Refusal) {
    if (error.status === 429) return 'Too many requests. This page will try again in a moment.';
    if (error.status >= 500)
      return 'Part of the service is not responding. What you see may be out of date; this page keeps trying.';
    return sentenceOf(error);
  }
  return navigator.onLine
    ? 'The service cannot be reached. What you see may be out of date; this page keeps trying.'
    : 'You are offline. What you see may be out of date; this page updates when you are back online.';
}

const moved = () =>
  h(
    'main',
    { class: 'problem' },
    h('h1', { tabindex: -1 }, 'This dashboard has moved'),
    h('p', null, 'This link has been replaced with a new one. Ask the person who runs this project for it.'),
  );

/** Handles a dashboard whose URL was replaced: removes the content from the screen. */
function end(): void {
  ended = true;
  document.title = 'Dashboard moved';
  for (const element of document.querySelectorAll('dialog, #settings')) element.remove();
  document.body.replaceChildren();
  render(moved(), document.body);
  document.querySelector('h1')?.focus();
}
