import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { type Brand, brandMark } from '../brand.ts';
import { type Html, html } from '../html.ts';
import { jsonInHtml } from '../recorder-document.ts';
import { raw } from '../recorder-html.ts';
import type { DashboardSettings } from './settings.ts';

/** What every page of the dashboard is made with. */
export interface DashboardLook {
  style: string;
  scriptName: string;
  brand: Brand;
}

export interface DashboardDocument {
  title: string;
  body: Html;
  /** Given where the page carries its script. */
  settings?: DashboardSettings;
}

const policy = (nonce: string) =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "media-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

const PERMISSIONS =
  'fullscreen=(self), clipboard-write=(self), picture-in-picture=(self), camera=(), microphone=(), geolocation=(), display-capture=(), payment=(), usb=()';

/** Sends a page of the dashboard: everything for the first paint is in it, under a policy made for this one answer. */
export function sendDashboardDocument(
  reply: FastifyReply,
  status: number,
  look: DashboardLook,
  { title, body, settings }: DashboardDocument,
): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  const style = look.style + look.brand.style;
  const mark = brandMark(look.brand);
  const document = html`<!doctype html>
<html lang="en" class="no-script">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no">
<title>${title}</title>
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
${mark && html`<div class="brand-bar">${mark}</div>`}
${body}
</body>
</html>
`;
  return reply
    .code(status)
    .headers({
      'content-security-policy': policy(nonce),
      'permissions-policy': PERMISSIONS,
      'cross-origin-opener-policy': 'same-origin',
    })
    .type('text/html; charset=utf-8')
    .send(document.text);
}
