import type { CurrentUserJson } from '@recording-request/contract/resources/account';
import type { ProjectCreatedJson } from '@recording-request/contract/resources/project';
import { readSettings } from '@recording-request/web-shared/browser/page';
import { Refusal, request } from '@recording-request/web-shared/browser/requests';
import { announce, setText, showText } from '@recording-request/web-shared/browser/texts';
import type { CreationBody } from '../body.ts';
import { creationCommand } from '../curl.ts';
import type { NewSettings } from '../page.ts';
import type { PastedPeople } from '../people.ts';
import { placeOf } from '../problem.ts';
import {
  bodyOfForm,
  controlOf,
  draft,
  emptyForm,
  FIELDS,
  focusField,
  form,
  pastedPeople,
  setValue,
  showParts,
  showProblem,
} from './form.ts';
import { keep, kept } from './kept.ts';
import { copy, hideResult, showResult } from './result.ts';

// The script of the page /new.

const { baseUrl } = readSettings<NewSettings>();
const FORM_OF_TOKEN = /^api_[0-9A-Za-z]{38}$/;
// A project can have ten thousand links.
const CREATE_LIMIT_MS = 70_000;
const PEOPLE_FILE_BYTES = 8 * 1024 * 1024;

const get = (id: string) => document.getElementById(id)!;
const create = get('create') as HTMLButtonElement;
const token = () => controlOf('token')!.value.trim();

let nextKey = crypto.randomUUID() as string;

/** Returns the Idempotency-Key of a body. The body that was sent last keeps its key, so it creates no second project. */
function keyOf(body: CreationBody): string {
  const sent = kept('sent');
  return sent?.body === JSON.stringify(body) ? sent.key : nextKey;
}

function showPeople({ people, problem }: PastedPeople): void {
  showProblem('people', problem);
  const count = people.length === 1 ? 'One person' : `${people.length.toLocaleString('en')} people`;
  setText(get('people-summary'), people.length === 0 ? '' : `${count}.`);
}

function changed(): void {
  const people = pastedPeople();
  keep('draft', draft());
  showParts();
  showPeople(people);
  paintCommand(people);
}

function paintCommand(people: PastedPeople): void {
  const body = bodyOfForm(people);
  const key = keyOf(body);
  const shown = body.webhookSecret ? { ...body, webhookSecret: 'your secret' } : body;
  setText(get('curl'), creationCommand(baseUrl, shown, key));
}

const TOKEN_PROBLEMS: Record<number, string> = {
  401: 'This token is not valid. It may be mistyped, revoked or expired.',
  403: 'This token may not create projects: it lacks the scope projects:write.',
};

/** Returns whether the token has the form of one. Shows a sentence if not. */
function checkToken(): boolean {
  const isToken = FORM_OF_TOKEN.test(token());
  showProblem(
    'token',
    isToken ? '' : 'A token starts with api_ and has 42 characters. Make sure you copied all of it.',
  );
  return isToken;
}

async function showAccount(): Promise<void> {
  const secret = token();
  setText(get('account'), '');
  if (!FORM_OF_TOKEN.test(secret)) return;
  try {
    const answer = await request('/api/me', { headers: { authorization: `Bearer ${secret}` } });
    const { userName, remainingVideos } = (await answer.json()) as CurrentUserJson;
    if (token() !== secret) return;
    const left = remainingVideos === null ? '' : ` ${remainingVideos.toLocaleString('en')} videos are left.`;
    setText(get('account'), `Signed in as ${userName}.${left}`);
  } catch (error) {
    // A token without the scope profile:read may still create projects.
    if (error instanceof Refusal && error.status === 401) showProblem('token', TOKEN_PROBLEMS[401]!);
  }
}

/** Shows an error of the creation, beside its field if it names one. */
function showError(error: unknown, people: PastedPeople): void {
  if (!(error instanceof Refusal)) {
    const sentence = navigator.onLine ? 'The service could not be reached.' : 'You are offline.';
    showText(get('problem'), `${sentence} Press “Create project” again: it creates only one project.`);
    return;
  }
  const known = TOKEN_PROBLEMS[error.status];
  if (known) {
    showProblem('token', known);
    focusField('token');
    return;
  }
  const { field, person } = placeOf(error.message, FIELDS);
  const line = person === undefined ? undefined : people.lines[person];
  const sentence =
    line === undefined ? error.message : `Line ${line}: ${error.message.replace(/^recipients\[\d+\]\.?/, '')}`;
  const name = field === 'count' ? 'otherLinks' : field;
  if (name === undefined) {
    showText(get('problem'), sentence);
    return;
  }
  showProblem(name, sentence);
  focusField(name);
}

async function submit(): Promise<void> {
  for (const name of ['token', ...FIELDS]) showProblem(name, '');
  showText(get('problem'), '');
  const people = pastedPeople();
  showPeople(people);
  if (!checkToken()) return focusField('token');
  if (people.problem !== '') return focusField('people');
  const body = bodyOfForm(people);
  const key = keyOf(body);
  keep('sent', { body: JSON.stringify(body), key });
  nextKey = crypto.randomUUID();
  create.disabled = true;
  setText(create, people.people.length > 1_000 ? 'Creating the project and its links…' : 'Creating the project…');
  try {
    const answer = await request(
      '/api/projects',
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token()}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify(body),
      },
      CREATE_LIMIT_MS,
    );
    const created = (await answer.json()) as ProjectCreatedJson;
    keep('created', created);
    showResult(created, again);
  } catch (error) {
    showError(error, people);
  } finally {
    create.disabled = false;
    setText(create, 'Create project');
  }
}

/** Empties the form. The token stays. */
function empty(): void {
  for (const name of FIELDS) showProblem(name, '');
  showText(get('problem'), '');
  emptyForm();
  keep('sent', undefined);
  changed();
}

function again(): void {
  keep('created', undefined);
  empty();
  hideResult();
  focusField('projectName');
}

async function readFile(input: HTMLInputElement): Promise<void> {
  const [file] = input.files ?? [];
  input.value = '';
  if (!file) return;
  if (file.size > PEOPLE_FILE_BYTES) return showProblem('people', 'This file is larger than 8 MB.');
  setValue('people', await file.text());
  changed();
}

function start(): void {
  for (const [name, value] of Object.entries(kept('draft') ?? {})) setValue(name, value);
  setValue('token', kept('token') ?? '');
  form.addEventListener('submit', event => {
    event.preventDefault();
    if (!create.disabled) void submit();
  });
  form.addEventListener('input', event => {
    const { name } = event.target as HTMLInputElement;
    showProblem(name, '');
    if (name === 'token') keep('token', token() || undefined);
    else changed();
  });
  controlOf('token')!.addEventListener('change', () => void showAccount());
  get('clear').addEventListener('click', () => {
    empty();
    announce('The form is empty.');
    focusField('projectName');
  });
  get('file').addEventListener('change', event => void readFile(event.target as HTMLInputElement));
  for (const button of document.querySelectorAll<HTMLElement>('[data-copy]'))
    button.addEventListener('click', () => void copy(get(button.dataset.copy!).textContent ?? '', 'Command'));
  form.hidden = false;
  changed();
  void showAccount();
  const created = kept('created') as ProjectCreatedJson | undefined;
  if (created) showResult(created, again);
  document.documentElement.dataset.ready = '';
}

start();
