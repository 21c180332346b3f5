import { Refusal, request } from '@recording-request/web-shared/browser/requests';
import { announce } from '@recording-request/web-shared/browser/texts';
import { createRef, h, render } from 'preact';
import { projectId, sentenceOf } from './api.ts';
import { elements } from './elements.ts';

// Selections and notes need an API token. This tab's session storage keeps the token, and the page sends it only in the
// Authorization header of writes.

const KEY = `api-token:${projectId}`;
const FORM = /^api_[0-9A-Za-z]{38}$/;
const listeners: (() => void)[] = [];

const stored = (): string | null => {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
};
let token = stored();

export const mayWrite = (): boolean => token !== null;

/** Calls `act` whenever the access changes. */
export const onAccess = (act: () => void): void => void listeners.push(act);

function change(next: string | null): void {
  token = next;
  try {
    if (next === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, next);
  } catch {
    // A browser without storage requests the token again after a reload.
  }
  paint();
  for (const act of listeners) act();
}

export interface Sending {
  headers?: Record<string, string>;
  signal?: AbortSignal;
  limitMs?: number;
}

/** Sends a change with the token; a text as it is, anything else as JSON. Rejects with a Refusal. Forgets a token that no longer works. */
export async function write(method: 'PATCH' | 'POST', path: string, body?: unknown, more?: Sending): Promise<Response> {
  try {
    return await send(token ?? '', method, path, body, more);
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) change(null);
    throw error instanceof Refusal && [401, 403].includes(error.status)
      ? new Refusal(error.status, REFUSED[error.status])
      : error;
  }
}

const send = (
  secret: string,
  method: string,
  path: string,
  body: unknown,
  { headers, signal, limitMs }: Sending = {},
): Promise<Response> =>
  request(
    `/api/projects/${projectId}${path}`,
    {
      method,
      signal,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    },
    limitMs,
  );

const REFUSED: Record<number, string> = {
  401: 'This token is not valid. It may be mistyped, revoked or expired.',
  403: 'This token is read-only: it lacks the projects:write scope. Ask for one that has it.',
  404: 'This token belongs to another account, which has no access to this project.',
};

/**
 * Checks a token with a request that needs the write scope and changes nothing. Resolves to a sentence about the
 * problem, or "".
 */
async function problemWith(secret: string): Promise<string> {
  if (!FORM.test(secret)) return 'A token starts with api_ and has 42 characters. Make sure you copied all of it.';
  try {
    await send(secret, 'PATCH', '', {});
    return '';
  } catch (error) {
    const known = error instanceof Refusal ? REFUSED[error.status] : undefined;
    return known ?? `The token could not be checked. ${sentenceOf(error)}`;
  }
}

function paint(): void {
  elements.review.textContent = token === null ? 'Review clips' : 'Forget token';
  elements.review.dataset.mode = token === null ? 'enter' : 'forget';
}

const field = createRef<HTMLInputElement>();
const form = { checking: false, problem: '' };
let dialog: HTMLDialogElement | undefined;

function paintForm(change: Partial<typeof form>): void {
  Object.assign(form, change);
  if (dialog) render(tokenForm(), dialog);
}

const tokenForm = () =>
  h(
    'form',
    { id: 'access-form', method: 'dialog', novalidate: true, onSubmit: submitted },
    h('h2', { id: 'access-title' }, 'Review clips'),
    h(
      'p',
      null,
      'This link is read-only. To select clips and write review notes, enter an API token with the projects:write scope.',
    ),
    h('label', { for: 'token' }, 'API token'),
    h('input', {
      id: 'token',
      ref: field,
      type: 'password',
      autocomplete: 'off',
      spellcheck: false,
      placeholder: 'api_…',
      'aria-describedby': 'token-problem token-hint',
      'aria-invalid': form.problem !== '',
    }),
    h('p', { id: 'token-problem', class: 'warning', role: 'alert', hidden: form.problem === '' }, form.problem),
    h('p', { id: 'token-hint', class: 'hint' }, 'Kept in this tab only, until you close it or press “Forget token”.'),
    h(
      'p',
      { class: 'buttons' },
      h(
        'button',
        { id: 'use-token', type: 'submit', class: 'primary', disabled: form.checking },
        form.checking ? 'Checking…' : 'Start reviewing',
      ),
      h('button', { id: 'access-close', type: 'button', onClick: () => dialog?.close() }, 'Cancel'),
    ),
  );

function makeDialog(): HTMLDialogElement {
  const made = document.createElement('dialog');
  made.id = 'access';
  made.className = 'sheet';
  made.setAttribute('aria-labelledby', 'access-title');
  document.body.append(made);
  return made;
}

export function askForToken(): void {
  dialog ??= makeDialog();
  paintForm({ problem: '' });
  dialog.showModal();
  field.current?.focus();
}

function submitted(event: Event): void {
  event.preventDefault();
  void submit();
}

async function submit(): Promise<void> {
  const secret = field.current?.value.trim() ?? '';
  paintForm({ checking: true, problem: '' });
  const problem = await problemWith(secret);
  paintForm({ checking: false, problem });
  if (problem) {
    field.current?.focus();
    return;
  }
  if (field.current) field.current.value = '';
  dialog?.close();
  change(secret);
  announce('You can now select clips and write review notes.');
}

export function wireAccess(): void {
  elements.review.addEventListener('click', () => {
    if (token === null) return askForToken();
    change(null);
    announce('Token forgotten.');
  });
  paint();
}
