import { randomBytes } from 'node:crypto';
import type { Brand } from './brand.ts';
import { type Html, html, raw } from './html.ts';

// The HTML document around a contributor's or owner's page.

/** The parts that all pages of one kind share. */
export interface PageLook {
  style: string;
  scriptName: string;
  brand: Brand;
}

/** The permissions of a kind of page. */
export interface PageRights {
  /** Sources of media and targets of forms, in the words of a Content-Security-Policy. */
  media: string;
  forms: string;
  /** The Permissions-Policy. */
  permissions: string;
}

export interface PageDocument {
  title: string;
  language: { code: string; dir: string };
  /** More of the document's head. */
  head?: Html;
  /** The class of the root element, for the page's styles. */
  className?: string;
  body: Html;
  /** Present when the page has its script. */
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

/** A page in the form that the server sends. */
export interface RenderedDocument {
  headers: Record<string, string>;
  html: string;
}

/**
 * Renders a page that contains everything for its first paint. The policy has a nonce for one answer only, so send the
 * page once.
 */
export function renderDocument(
  look: PageLook,
  rights: PageRights,
  { title, language, head, className, body, settings }: PageDocument,
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
${head}
<link rel="icon" href="data:,">
<style nonce="${nonce}">${raw(look.brand.style + look.style)}</style>
${settings ? html`<script type="module" src="/assets/${look.scriptName}" nonce="${nonce}"></script>` : null}
</head>
<body>
${body}
${
  // The settings come after the visible content. The script that reads them runs when the document is complete.
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

// Escapes `<`, so that no JSON text can end its element.
const jsonInHtml = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c');
