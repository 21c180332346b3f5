import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { type Brand, brandMark } from './brand.ts';
import { type Html, html, raw } from './recorder-html.ts';
import { LANGUAGES, type Language } from './recorder-languages.ts';
import type { RecorderSettings } from './recorder-settings.ts';

/** What every page of a contributor is made with. */
export interface RecorderLook {
  style: string;
  scriptName: string;
  brand: Brand;
}

export interface RecorderDocument {
  title: string;
  language: Language;
  body: Html;
  /** Given where the page carries the recorder's script. */
  settings?: RecorderSettings;
}

const policy = (nonce: string) =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' data:",
    'media-src blob:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

const PERMISSIONS =
  'camera=(self), microphone=(self), screen-wake-lock=(self), geolocation=(), display-capture=(), payment=(), usb=()';

/** Sends a page of the contributor: everything for the first paint is in it, under a policy made for this one answer. */
export function sendRecorderDocument(
  reply: FastifyReply,
  status: number,
  look: RecorderLook,
  page: RecorderDocument,
): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  const { language, settings } = page;
  const style = look.brand.style + look.style;
  const document = html`<!doctype html>
<html lang="${language.code}" dir="${language.dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no">
<title>${page.title}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${raw(style)}</style>
${
  settings
    ? html`<script id="settings" type="application/json" nonce="${nonce}">${raw(jsonInHtml(settings))}</script>
<script src="/assets/${look.scriptName}" nonce="${nonce}" defer></script>`
    : null
}
</head>
<body>
<main>${page.body}</main>
</body>
</html>
`;
  return reply
    .code(status)
    .headers({
      'content-security-policy': policy(nonce),
      'permissions-policy': PERMISSIONS,
      'cross-origin-opener-policy': 'same-origin',
      'content-language': language.code,
      vary: 'accept-language',
    })
    .type('text/html; charset=utf-8')
    .send(document.text);
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

// Nothing in a JSON text can end the element that it stands in.
export const jsonInHtml = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');
