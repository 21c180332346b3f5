import { TRANSCRIPTION_LANGUAGES } from '@recording-request/contract/languages';
import { LIMITS } from '@recording-request/contract/limits';
import { type Brand, brandMark } from '@recording-request/web-shared/brand';
import {
  type PageLook,
  type PageRights,
  type RenderedDocument,
  renderDocument,
} from '@recording-request/web-shared/document';
import { type Html, html } from '@recording-request/web-shared/html';
import { EMPTY, type FormValues } from './body.ts';

// The page on which an owner creates a project. The form needs the script, because the API takes the token in a header.

/** The settings for the script. */
export interface NewSettings {
  /** The public address of the service, without a trailing slash. */
  baseUrl: string;
}

const RIGHTS: PageRights = {
  media: "'none'",
  forms: "'none'",
  permissions:
    'clipboard-write=(self), camera=(), microphone=(), geolocation=(), display-capture=(), payment=(), usb=()',
};

export const renderNew = (look: PageLook, settings: NewSettings): RenderedDocument =>
  renderDocument(look, RIGHTS, {
    title: 'New project',
    language: { code: 'en', dir: 'ltr' },
    body: page(look.brand),
    settings,
  });

type Name = Exclude<keyof FormValues, 'people'> | 'people' | 'token';

interface Field {
  name: Name;
  label: string;
  hint?: string;
}

const described = ({ name, hint }: Field) =>
  html`aria-describedby="${name}-problem${hint === undefined ? null : ` ${name}-hint`}"`;

const frame = (field: Field, control: Html): Html =>
  html`<div class="field"><label for="${field.name}">${field.label}</label>${control}<p class="problem" id="${field.name}-problem" hidden></p>${
    field.hint === undefined ? null : html`<p class="hint" id="${field.name}-hint">${field.hint}</p>`
  }</div>`;

type Kind = 'text' | 'url' | 'password';

const line = (field: Field, kind: Kind = 'text', placeholder = ''): Html =>
  frame(
    field,
    html`<input id="${field.name}" name="${field.name}" type="${kind}" placeholder="${placeholder}" autocomplete="off" spellcheck="${
      kind === 'text' ? 'true' : 'false'
    }" ${described(field)}>`,
  );

const number = (field: Field & { name: Exclude<Name, 'token' | 'people'> }, placeholder = ''): Html =>
  frame(
    field,
    html`<input class="short" id="${field.name}" name="${field.name}" inputmode="numeric" autocomplete="off" placeholder="${placeholder}" value="${String(
      EMPTY[field.name],
    )}" ${described(field)}>`,
  );

const area = (field: Field, rows: number): Html =>
  frame(
    field,
    html`<textarea id="${field.name}" name="${field.name}" rows="${rows}" spellcheck="true" ${described(field)}></textarea>`,
  );

const tick = (field: Field): Html =>
  html`<div class="field"><label class="tick"><input type="checkbox" id="${field.name}" name="${field.name}" ${described(field)}> ${field.label}</label><p class="problem" id="${field.name}-problem" hidden></p>${
    field.hint === undefined ? null : html`<p class="hint" id="${field.name}-hint">${field.hint}</p>`
  }</div>`;

const group = (title: string, ...fields: Html[]): Html => html`<fieldset><legend>${title}</legend>${fields}</fieldset>`;

/** Only shown while the checkbox `when` is ticked. */
const shownWhen = (when: Name, ...fields: Html[]): Html => html`<div data-when="${when}" hidden>${fields}</div>`;

function languageField(): Html {
  const names = new Intl.DisplayNames('en', { type: 'language' });
  const options = TRANSCRIPTION_LANGUAGES.map(code => ({ code, name: names.of(code) ?? code })).sort((one, other) =>
    one.name.localeCompare(other.name, 'en'),
  );
  const field: Field = { name: 'transcriptionLanguage', label: 'Spoken language' };
  return frame(
    field,
    html`<select id="transcriptionLanguage" name="transcriptionLanguage" ${described(field)}><option value="">Detect it</option>${options.map(
      ({ code, name }) => html`<option value="${code}">${name}</option>`,
    )}</select>`,
  );
}

const page = (brand: Brand): Html => html`<main>
<header>${brandMark(brand)}<a href="/api/docs">API documentation</a></header>
<div id="intro"><h1>New project</h1>
<p class="lead">Ask people for short videos. You get a link for each person, and a dashboard for the videos.</p></div>
<noscript><p class="warning">This page needs JavaScript. Without it, create a project with the API.</p></noscript>
<form id="form" novalidate hidden>
${group(
  'Your access',
  line(
    {
      name: 'token',
      label: 'API token',
      hint: 'The operator of this service gives it to you. It needs the scope projects:write. This tab keeps it until you close it.',
    },
    'password',
    'api_…',
  ),
  html`<p id="account" role="status"></p>`,
)}
${group(
  'Your request',
  line({ name: 'projectName', label: 'Title', hint: 'People see it first, for example “Why did you join us?”' }),
  area(
    {
      name: 'interviewQuestions',
      label: 'Questions',
      hint: 'One in each line. People answer them one after another. Leave this empty for a single video.',
    },
    4,
  ),
  line(
    { name: 'requestUrl', label: 'A page to read first', hint: 'Optional: a brief or an example.' },
    'url',
    'https://',
  ),
)}
${group(
  'People',
  area(
    {
      name: 'people',
      label: 'Names',
      hint: 'One in each line, also with an email address: “Ada, ada@example.org”. Or paste a table whose first line names the columns: name, reference, email, locale, dueAt. The service sends no mail.',
    },
    6,
  ),
  html`<p class="file"><label class="button" for="file">Choose a CSV file</label><input class="hidden-text" id="file" type="file" accept=".csv,.tsv,.txt,text/csv,text/plain"></p>
<p id="people-summary" role="status"></p>`,
  number(
    { name: 'otherLinks', label: 'Links without a name', hint: 'For people you do not know yet. Each works once.' },
    '0',
  ),
  tick({ name: 'sharedLinkEnabled', label: 'Also make one link that many people can use' }),
  shownWhen('sharedLinkEnabled', number({ name: 'sharedLinkMaxUses', label: 'How many videos it takes' })),
)}
${group(
  'Videos',
  number({ name: 'maxDurationSec', label: 'Longest video, in seconds', hint: `At most ${LIMITS.maxDurationSec}.` }),
  tick({ name: 'noteEnabled', label: 'Let people add a written note' }),
  tick({ name: 'transcriptionEnabled', label: 'Write down what people say' }),
  shownWhen('transcriptionEnabled', languageField()),
)}
${group(
  'Time',
  tick({ name: 'neverExpire', label: 'The links never expire' }),
  number({ name: 'expiresInDays', label: 'Days until the links expire', hint: 'Empty: the default of this service.' }),
  line({
    name: 'remindAfterDays',
    label: 'Remind after days',
    hint: 'For example “3, 7”. At these times, your webhook or the event feed names the people who have sent nothing.',
  }),
)}
${group(
  'Terms and thanks',
  tick({ name: 'requireTerms', label: 'People must accept terms first' }),
  shownWhen(
    'requireTerms',
    line({ name: 'termsLabel', label: 'Text beside the checkbox', hint: 'Empty: “I accept the terms”.' }),
    area({ name: 'termsText', label: 'Terms' }, 4),
  ),
  area({ name: 'successMessage', label: 'Message after the last video', hint: 'Optional.' }, 2),
  line({ name: 'returnUrl', label: 'Where people can go afterwards', hint: 'Optional.' }, 'url', 'https://'),
)}
<details class="more"><summary>More</summary>
${group(
  'Events and storage',
  line(
    { name: 'webhookUrl', label: 'Webhook address', hint: 'The service sends an event there for each video.' },
    'url',
    'https://',
  ),
  line({ name: 'webhookSecret', label: 'Webhook secret', hint: 'Signs the events.' }, 'password'),
  number({ name: 'retentionDays', label: 'Erase videos after days', hint: 'Empty: the default of this service.' }),
  tick({
    name: 'sandbox',
    label: 'Only a test',
    hint: 'Videos of at most 15 seconds. Everything is erased after a day.',
  }),
)}
</details>
<details class="more"><summary>The same with curl</summary>
<p class="hint">Put your token into the variable RECORDING_TOKEN first.</p>
<pre id="curl" tabindex="0"></pre>
<p><button type="button" data-copy="curl">Copy the command</button></p>
</details>
<p id="problem" class="warning" role="alert" hidden></p>
<p class="bar"><button id="create" class="primary" type="submit">Create project</button><button id="clear" type="button">Empty the form</button></p>
</form>
<section id="result" hidden></section>
<p id="announcer" class="hidden-text" role="status"></p>
</main>`;
