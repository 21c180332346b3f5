import { type Brand, brandMark } from '@recording-request/web-shared/brand';
import {
  type PageLook,
  type PageRights,
  type RenderedDocument,
  renderDocument,
} from '@recording-request/web-shared/document';
import { type Html, html, raw } from '@recording-request/web-shared/html';
import { LANGUAGES, type Language } from './languages.ts';
import type { RecorderSettings } from './settings.ts';

export interface RecorderDocument {
  title: string;
  language: Language;
  body: Html;
  /** Given where the page carries the recorder's script. */
  settings?: RecorderSettings;
  /** Where the browser is to load the page again by itself. */
  reloadAfterSec?: number;
}

const RIGHTS: PageRights = {
  media: 'blob:',
  forms: "'none'",
  permissions:
    'camera=(self), microphone=(self), screen-wake-lock=(self), geolocation=(), display-capture=(), payment=(), usb=()',
};

/** A page of the contributor, as it goes to the browser. */
export function renderRecorder(look: PageLook, page: RecorderDocument): RenderedDocument {
  const document = renderDocument(look, RIGHTS, { ...page, body: html`<main>${page.body}</main>` });
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

/** Links to the same page in each language; they work without a script. */
export function languagePicker(current: Language): Html {
  return html`<details class="languages"><summary><span class="hidden-text">${current.page.language}: </span>${current.name}</summary>
<ul>${[...LANGUAGES.values()].map(
    ({ code, name, dir }) =>
      html`<li><a href="?lang=${code}" lang="${code}" dir="${dir}" hreflang="${code}"${code === current.code ? raw(' aria-current="true"') : null}>${name}</a></li>`,
  )}</ul></details>`;
}

/** The top of a screen: whose page it is. */
export function brandHeader(brand: Brand, picker: Html | null = null): Html {
  return html`<header>${brandMark(brand)}${picker}</header>`;
}

/** A page that only says something; `ownerText` is in any language. */
export function noticeBody(language: Language, brand: Brand, title: string, text: string, ownerText = ''): Html {
  return html`<section class="screen notice">${brandHeader(brand, languagePicker(language))}
<div class="middle"><h1>${title}</h1><p class="lead">${text}</p>${
    ownerText === '' ? null : html`<p class="owner-text" dir="auto">${ownerText}</p>`
  }</div></section>`;
}
