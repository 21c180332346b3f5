import { type Html, html, raw } from '@recording-request/web-shared/html';

/**
 * Renders the Markdown of runbooks and dashboards: headings, paragraphs, lists, tables, fenced code, code, bold,
 * emphasis and links. A code block marked `promql` gets a link that runs its query. All other text stays unchanged.
 */
export function markdown(text: string): Html {
  const blocks = text.replaceAll('\r\n', '\n').split(/(^```[\s\S]*?^```$)/m);
  return html`${blocks.map(block => (block.startsWith('```') ? code(block) : block.split(/\n{2,}/).map(paragraph)))}`;
}

function code(block: string): Html {
  const [first = '', ...rest] = block.split('\n');
  const content = rest.slice(0, -1).join('\n');
  const isQuery = /^```promql\b/.test(first);
  return html`<pre><code>${content}</code></pre>${isQuery ? queries(content) : null}`;
}

/** Renders a code block with a link for each query. A query ends before an empty line or a comment. */
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

function paragraph(block: string): Html | null {
  const lines = block.split('\n').filter(line => line.trim() !== '');
  const [first] = lines;
  if (first === undefined) return null;
  const [, marks, heading] = /^(#{1,6}) (.*)$/.exec(first) ?? [];
  if (marks && heading !== undefined) {
    const level = Math.min(6, marks.length);
    const rest = lines.slice(1).join('\n');
    return html`${raw(`<h${level}>`)}${inline(heading)}${raw(`</h${level}>`)}${rest ? paragraph(rest) : null}`;
  }
  const start = lines.findIndex(line => LISTED.test(line));
  if (start === 0) return list(lines);
  // A list may directly follow its sentence, without an empty line.
  if (start > 0) return html`${paragraph(lines.slice(0, start).join('\n'))}${list(lines.slice(start))}`;
  if (lines.length > 1 && /^\s*\|?[\s:|-]+\|[\s:|-]*$/.test(lines[1]!)) return tableOf(lines);
  return html`<p>${inline(lines.join(' '))}</p>`;
}

const LISTED = /^\s*(?:[-*]|\d+\.) /;

function list(lines: string[]): Html {
  const items: string[] = [];
  for (const line of lines) {
    if (LISTED.test(line)) items.push(line.replace(LISTED, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  const body = items.map(item => html`<li>${inline(item)}</li>`);
  return /^\s*\d/.test(lines[0]!) ? html`<ol>${body}</ol>` : html`<ul>${body}</ul>`;
}

function tableOf([head = '', , ...rows]: string[]): Html {
  // A bar within code or after a backslash is not a cell border.
  const cells = (row: string) =>
    row
      .trim()
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|(?=(?:[^`]*`[^`]*`)*[^`]*$)/)
      .map(cell => cell.trim().replaceAll('\\|', '|'));
  return html`<div class="scroll"><table><thead><tr>${cells(head).map(cell => html`<th scope="col">${inline(cell)}</th>`)}</tr></thead>
<tbody>${rows.map(row => html`<tr>${cells(row).map(cell => html`<td>${inline(cell)}</td>`)}</tr>`)}</tbody></table></div>`;
}

function inline(text: string): Html {
  const parts = text.split(/(\*\*[^*]+\*\*|`[^`]+`|\[[^\]]+\]\([^)\s]+\)|(?<!\w)\*[^*\s][^*]*\*(?!\w))/);
  return html`${parts.map(part => {
    if (/^`.+`$/.test(part)) return html`<code>${part.slice(1, -1)}</code>`;
    if (/^\*\*.+\*\*$/.test(part)) return html`<strong>${inline(part.slice(2, -2))}</strong>`;
    if (/^\*.+\*$/.test(part)) return html`<em>${inline(part.slice(1, -1))}</em>`;
    const [, words, target] = /^\[([^\]]+)\]\(([^)\s]+)\)$/.exec(part) ?? [];
    return words && target ? link(words, target) : part;
  })}`;
}

/** Renders a link. Other runbooks have a page here; other files of the repository do not. */
function link(words: string, target: string): Html {
  if (/^https?:\/\//.test(target)) return html`<a href="${target}">${words}</a>`;
  const [, name] = /^(?:\.\/)?([\w-]+)\.md(?:#.*)?$/.exec(target) ?? [];
  return name ? html`<a href="/runbooks/${name}">${words}</a>` : html`${words} (<code>${target}</code>)`;
}
