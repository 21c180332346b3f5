import type { FastifyReply } from 'fastify';
import { type Brand, brandMark } from './brand.ts';
import { type Html, html, raw } from './html.ts';
import { type PageLook, type PageRights, sendDocument } from './page-document.ts';
import { LANGUAGES, type Language } from './recorder-languages.ts';
import type { RecorderSettings } from './recorder-settings.ts';

export interface RecorderDocument {
  title: string;
  language: Language;
  body: Html;
  /** Given where the page carries the recorder's script. */
  settings?: RecorderSettings;
}

const RIGHTS: PageRights = {
  media: 'blob:',
  forms: "'none'",
  permissions:
    'camera=(self), microphone=(self), screen-wake-lock=(self), geolocation=(), display-capture=(), payment=(), usb=()',
};

/** Sends a page of the contributor. */
export function sendRecorderDocument(
  reply: FastifyReply,
  status: number,
  look: PageLook,
  page: RecorderDocument,
): FastifyReply {
  reply.headers({ 'content-language': page.language.code, vary: 'accept-language' });
  return sendDocument(reply, status, look, RIGHTS, { ...page, body: html`<main>${page.body}</main>` });
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

/** A page that only tells something. */
export function noticeBody(language: Language, brand: Brand, title: string, text: string): Html {
  return html`<section class="screen notice">${brandHeader(brand, languagePicker(language))}
<div class="middle"><h1>${title}</h1><p class="lead">${text}</p></div></section>`;
}
