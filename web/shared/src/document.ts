import { randomBytes } from 'node:crypto';
import type { Brand } from './brand.ts';
import { type Html, html, raw } from './html.ts';

// The document around what a contributor and an owner are shown.

/** What every page of one kind is made with. */
export interface PageLook {
  style: string;
  scriptName: string;
  brand: Brand;
}

/** What a kind of page may do. */
export interface PageRights {
  /** Sources of media and targets of forms, as a Content-Security-Policy names them. */
  media: string;
  forms: string;
  /** The Permissions-Policy. */
  permissions: string;
}

export interface PageDocument {
  title: string;
  language: { code: string; dir: string };
  /** Of the root, for the page's styles. */
  className?: string;
  body: Html;
  /** Given where the page carries its script. */
  settings?: object;
}

const policy = (nonce: string, { media, forms }: PageRights) =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' data:",
    `media-src ${media}`,
    "connect-src 'self'",
    `form-action ${forms}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

/** A page as it goes to the browser. */
export interface RenderedDocument {
  headers: Record<string, string>;
  html: string;
}

/** A page with everything for the first paint in it, under a policy made for this one answer: it is sent once. */
export function renderDocument(
  look: PageLook,
  rights: PageRights,
  { title, language, className, body, settings }: PageDocument,
): RenderedDocument {
  const nonce = randomBytes(16).toString('base64');
  const document = html`<!doctype html>
<html lang="${language.code}" dir="${language.dir}"${className ? html` class="${className}"` : null}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no">
<title>${title}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${raw(look.brand.style + look.style)}</style>
${settings ? html`<script src="/assets/${look.scriptName}" nonce="${nonce}" defer></script>` : null}
</head>
<body>
${body}
${
  // Behind what is painted first; the script that reads it runs when the whole document is there.
  settings
    ? html`<script id="settings" type="application/json" nonce="${nonce}">${raw(jsonInHtml(settings))}</script>`
    : null
}
</body>
</html>
`;
  return {
    headers: {
      'content-security-policy': policy(nonce, rights),
      'permissions-policy': rights.permissions,
      'cross-origin-opener-policy': 'same-origin',
    },
    html: document.text,
  };
}

// Nothing in a JSON text can end the element that it stands in.
const jsonInHtml = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c');
