import { Refusal } from '@recording-request/web-shared/browser/requests';
import { h, render } from 'preact';
import { sentenceOf } from './api.ts';
import { elements } from './elements.ts';

// Whether the page can still ask the server, in a sentence above its content.

const { banner, fresh } = elements;
let trouble = '';
let again: (() => void) | undefined;

/** True once the dashboard's address stopped working: nothing is asked any more. */
export let ended = false;

/** What "Try again" does. */
export function onTryAgain(act: () => void): void {
  again = act;
}

export function works(): void {
  if (trouble) {
    trouble = '';
    banner.hidden = true;
  }
  fresh.textContent = 'Up to date: new clips appear here by themselves.';
}

/** Says why an answer stayed away. What is shown stays, as it was. */
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
    if (error.status === 429) return 'Too many questions at once. This page goes on by itself in a moment.';
    if (error.status >= 500)
      return 'A part of the service is not answering. What you see may be old; the page keeps trying.';
    return sentenceOf(error);
  }
  return navigator.onLine
    ? 'The service cannot be reached. What you see may be old; the page keeps trying.'
    : 'You are offline. What you see may be old; the page goes on when you are back.';
}

const moved = () =>
  h(
    'main',
    { class: 'problem' },
    h('h1', { tabindex: -1 }, 'This dashboard has moved'),
    h(
      'p',
      null,
      'Its address was replaced by a new one, and this one shows nothing any more. The person who runs this project has the address that works.',
    ),
  );

/** The address was replaced: nothing that it showed stays on the screen. */
function end(): void {
  ended = true;
  document.title = 'Dashboard closed';
  for (const element of document.querySelectorAll('dialog, #settings')) element.remove();
  document.body.replaceChildren();
  render(moved(), document.body);
  document.querySelector('h1')?.focus();
}
