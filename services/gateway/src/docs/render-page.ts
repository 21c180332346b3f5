import { type Html, html } from '@recording-request/web-shared/html';

declare module 'fastify' {
  interface FastifyInstance {
    /** The operator's logo or name, which every page shows at the top. */
    brandMark: Html | null;
  }
}

export interface Page {
  title: string;
  body: Html;
  /** The name of a script under /assets/. */
  script?: string;
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** The page for a browser. */
export interface RenderedPage {
  text: string;
  headers: Record<string, string>;
}

export function renderPage(brandMark: Html | null, page: Page): RenderedPage {
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
<body>${brandMark && html`<header class="brand-bar">${brandMark}</header>`}<main>${page.body}</main></body>
</html>
`;
  return { text: document.text, headers: { 'content-security-policy': POLICY } };
}
