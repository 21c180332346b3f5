import { type Brand, brandMark } from '@recording-request/web-shared/brand';
import {
  type PageLook,
  type PageRights,
  type RenderedDocument,
  renderDocument,
} from '@recording-request/web-shared/document';
import { type Ending, ending } from '@recording-request/web-shared/ending';
import { type Html, html, raw } from '@recording-request/web-shared/html';
import { LANGUAGES, type Language } from './languages.ts';
import type { RecorderSettings } from './settings.ts';

export interface RecorderDocument {
  title: string;
  language: Language;
  /** The tags of the link's preview. */
  head?: Html;
  body: Html;
  /** Present when the page has the recorder's script. */
  settings?: RecorderSettings;
  /** The seconds after which the browser reloads the page. */
  reloadAfterSec?: number;
  /** True if the page has a form. Then the browser may send it to this address. */
  hasForm?: boolean;
}

const RIGHTS: PageRights = {
  media: 'blob:',
  forms: "'none'",
  permissions:
    'camera=(self), microphone=(self), screen-wake-lock=(self), geolocation=(), display-capture=(), payment=(), usb=()',
};

/** Renders a contributor's page. */
export function renderRecorder(look: PageLook, page: RecorderDocument): RenderedDocument {
  const document = renderDocument(look, page.hasForm ? { ...RIGHTS, forms: "'self'" } : RIGHTS, {
    ...page,
    body: html`<main>${page.body}</main>`,
  });
  return {
    ...document,
    headers: {
      'content-language': page.language.code,
      vary: 'accept-language',
      ...(page.reloadAfterSec === undefined ? {} : { refresh: String(page.reloadAfterSec) }),
      ...document.headers,
    },
  };
}

/** Returns the query parameters that the page's links keep. */
export const keptQuery = (kept: { reference?: string; response?: string | undefined }): string =>
  (kept.reference ? `&ref=${encodeURIComponent(kept.reference)}` : '') +
  (kept.response ? `&response=${encodeURIComponent(kept.response)}` : '');

/**
 * Returns links to the same page in each language. The links work without a script. `kept`: the rest of the query, see
 * `keptQuery`.
 */
export function languagePicker(current: Language, kept = ''): Html {
  return html`<details class="languages"><summary><span class="hidden-text">${current.page.language}: </span>${current.name}</summary>
<ul>${[...LANGUAGES.values()].map(
    ({ code, name, dir }) =>
      html`<li><a href="?lang=${code}${kept}" lang="${code}" dir="${dir}" hreflang="${code}"${code === current.code ? raw(' aria-current="true"') : null}>${name}</a></li>`,
  )}</ul></details>`;
}

/** Returns the top of a screen with the brand. */
export function brandHeader(brand: Brand, picker: Html | null = null): Html {
  return html`<header>${brandMark(brand)}${picker}</header>`;
}

interface Notice extends Omit<Ending, 'more'> {
  /** A text of the owner, in any language. */
  ownerText?: string;
  kept?: string;
}

/** Returns a page with only an ending. */
export function noticeBody(language: Language, brand: Brand, { ownerText = '', kept = '', ...parts }: Notice): Html {
  const more = ownerText === '' ? null : html`<p class="owner-text" dir="auto">${ownerText}</p>`;
  return html`<section class="screen end">${brandHeader(brand, languagePicker(language, kept))}
${ending({ ...parts, more })}</section>`;
}

/** Returns a link that loads the page again. */
export const loadAgain = (label: string | undefined): Html => html`<a class="quiet button" href="">${label}</a>`;
