import { type Html, html, raw } from '@recording-request/web-shared/html';
import { Marked, type Tokens } from 'marked';

const MARKDOWN = new Marked({
  renderer: {
    heading({ tokens, depth, text }: Tokens.Heading) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code: ({ text, lang }: Tokens.Code) =>
      html`<pre><code>${text}</code></pre>${lang === 'promql' ? queries(text) : null}`.text,
    link({ href, tokens }: Tokens.Link) {
      return link(raw(this.parser.parseInline(tokens)), href).text;
    },
    image: ({ text }: Tokens.Image) => html`${text}`.text,
    html: ({ text }: Tokens.HTML | Tokens.Tag) => html`${text}`.text,
  },
});

/**
 * Renders Markdown. A code block marked `promql` gets a link that runs its query. Headings have the anchors of GitHub. HTML
 * stays text.
 */
export const markdown = (text: string): Html => raw(MARKDOWN.parse(text, { async: false }));

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

/** Renders a link for each query. A query ends before an empty line or a comment. */
function queries(content: string): Html {
  const each = content
    .split(/\n\s*\n|^\s*#.*$/m)
    .map(query => query.trim())
    .filter(Boolean);
  return html`<p class="queries">${each.map(
    (expr, index) =>
      html`<a href="/query?${new URLSearchParams({ expr }).toString()}">run${each.length > 1 ? ` ${index + 1}` : ''}</a> `,
  )}</p>`;
}

/** Renders a link. The page serves the repository's Markdown at its own paths, but no other files. */
const link = (words: Html, target: string): Html =>
  /^https?:\/\/|^#|^[\w./-]+\.md(?:#.*)?$/.test(target)
    ? html`<a href="${target}">${words}</a>`
    : html`${words} (<code>${target}</code>)`;
