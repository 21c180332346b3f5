import { type Html, html } from '@recording-request/web-shared/html';
import type { FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** The operator's logo or name, at the top of every page. */
    brandMark: Html | null;
  }
}

export interface Page {
  title: string;
  body: Html;
  /** Name of a script under /assets/. */
  script?: string;
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function sendPage(reply: FastifyReply, status: number, page: Page) {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${page.title}</title>
<link rel="stylesheet" href="/assets/pages.css">
<link rel="stylesheet" href="/assets/brand.css">
${page.script ? html`<script type="module" src="/assets/${page.script}"></script>` : null}
</head>
<body>${reply.server.brandMark && html`<header class="brand-bar">${reply.server.brandMark}</header>`}<main>${page.body}</main></body>
</html>
`;
  return reply
    .code(status)
    .header('content-security-policy', POLICY)
    .header('permissions-policy', 'camera=(self), microphone=(self)')
    .type('text/html; charset=utf-8')
    .send(document.text);
}
