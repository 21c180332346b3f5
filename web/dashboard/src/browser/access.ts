import { el } from '../tree.ts';
import { projectId, Refusal, request, sentenceOf } from './api.ts';
import { announce, buildOne, byId, tell } from './dom.ts';

// Selecting and noting need an API token. It stays in this tab's session storage, and goes nowhere but into the
// Authorization header of the requests that write.

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

/** Calls `act` whenever that changes. */
export const onAccess = (act: () => void): void => void listeners.push(act);

function change(next: string | null): void {
  token = next;
  try {
    if (next === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, next);
  } catch {
    // A browser that keeps nothing asks again after a reload.
  }
  paint();
  for (const act of listeners) act();
}

/** Asks for a change with the token. Rejects with a Refusal; a token that is no longer good is forgotten. */
export async function write(method: 'PATCH' | 'POST', path: string, body?: unknown): Promise<Response> {
  try {
    return await send(token ?? '', method, path, body);
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) change(null);
    throw error instanceof Refusal && [401, 403].includes(error.status)
      ? new Refusal(error.status, REFUSED[error.status] ?? '', 0)
      : error;
  }
}

const send = (secret: string, method: string, path: string, body: unknown): Promise<Response> =>
  request(`/api/projects/${projectId}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${secret}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: JSON.stringify(body),
  });

const REFUSED: Record<number, string> = {
  401: 'This token is not valid: it may be mistyped, revoked or out of date.',
  403: 'This token may not write: it lacks the scope projects:write. Ask for one that has it.',
  404: 'This token belongs to somebody else: it opens other projects, but not this one.',
};

/** Writes nothing, but is allowed only to who may write. Resolves to what is wrong, or "". */
async function problemWith(secret: string): Promise<string> {
  if (!FORM.test(secret)) return 'A token begins with api_ and has 42 characters. Copy it whole.';
  try {
    await send(secret, 'PATCH', '', {});
    return '';
  } catch (error) {
    const known = error instanceof Refusal ? REFUSED[error.status] : undefined;
    return known ?? `The token could not be checked. ${sentenceOf(error)}`;
  }
}

function paint(): void {
  const button = byId('review');
  button.textContent = token === null ? 'Review clips' : 'Forget token';
  button.dataset.mode = token === null ? 'enter' : 'forget';
}

const makeDialog = (): HTMLDialogElement =>
  buildOne(
    el(
      'dialog',
      { id: 'access', class: 'sheet', 'aria-labelledby': 'access-title' },
      el(
        'form',
        { id: 'access-form', method: 'dialog', novalidate: true },
        el('h2', { id: 'access-title' }, 'Review clips'),
        el(
          'p',
          {},
          'This address only reads. To select clips and write review notes, give an API token with the scope projects:write.',
        ),
        el('label', { for: 'token' }, 'API token'),
        el('input', {
          id: 'token',
          type: 'password',
          autocomplete: 'off',
          spellcheck: 'false',
          placeholder: 'api_…',
          'aria-describedby': 'token-problem token-hint',
        }),
        el('p', { id: 'token-problem', class: 'warning', role: 'alert', hidden: true }),
        el(
          'p',
          { id: 'token-hint', class: 'hint' },
          'Kept in this tab only, until you close it or forget the token here.',
        ),
        el(
          'p',
          { class: 'buttons' },
          el('button', { id: 'use-token', type: 'submit', class: 'primary' }, 'Start reviewing'),
          el('button', { id: 'access-close', type: 'button' }, 'Cancel'),
        ),
      ),
    ),
  ) as HTMLDialogElement;

/** Asks for the token. */
export function askForToken(): void {
  const known = document.getElementById('access') as HTMLDialogElement | null;
  const dialog = known ?? makeDialog();
  if (!known) {
    document.body.append(dialog);
    byId('access-close').addEventListener('click', () => dialog.close());
    byId('access-form').addEventListener('submit', event => {
      event.preventDefault();
      void submit(dialog);
    });
  }
  tell('token-problem', '');
  dialog.showModal();
  byId('token').focus();
}

async function submit(dialog: HTMLDialogElement): Promise<void> {
  const field = byId<HTMLInputElement>('token');
  const button = byId<HTMLButtonElement>('use-token');
  button.disabled = true;
  button.textContent = 'Checking …';
  tell('token-problem', '');
  const secret = field.value.trim();
  const problem = await problemWith(secret);
  button.disabled = false;
  button.textContent = 'Start reviewing';
  field.setAttribute('aria-invalid', String(problem !== ''));
  if (problem) {
    tell('token-problem', problem);
    field.focus();
    return;
  }
  field.value = '';
  dialog.close();
  change(secret);
  announce('You can select clips and write review notes now.');
}

export function wireAccess(): void {
  byId('review').addEventListener('click', () => {
    if (token === null) return askForToken();
    change(null);
    announce('The token is forgotten.');
  });
  paint();
}
