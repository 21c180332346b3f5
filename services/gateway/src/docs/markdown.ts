import { type Html, raw } from '@recording-request/web-shared/html';
import { Marked, type Tokens } from 'marked';

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const marked = new Marked({
  renderer: {
    /** The id of a sample is its file name. After the three backticks come the sample's language and its file name. */
    code({ text, lang = '' }: Tokens.Code) {
      const [, name] = lang.split(' ');
      return `<pre><code${name ? ` id="${name}"` : ''}>${escaped(text)}\n</code></pre>\n`;
    },
    /** The id of a heading consists of its words, as on GitHub. */
    heading({ tokens, depth, text }: Tokens.Heading) {
      const id = text
        .toLowerCase()
        .replaceAll(/[^\p{L}\d -]/gu, '')
        .replaceAll(' ', '-');
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    /** The first cell of a row is the header of this row, for screen readers. */
    table({ header, rows }: Tokens.Table) {
      const shown = (cell: Tokens.TableCell) => this.parser.parseInline(cell.tokens);
      const head = header.map(cell => `<th scope="col">${shown(cell)}</th>`).join('');
      const body = rows.map(([first, ...rest]) => {
        const cells = rest.map(cell => `<td>${shown(cell)}</td>`).join('');
        return `<tr><th scope="row">${first ? shown(first) : ''}</th>${cells}</tr>`;
      });
      return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table></div>\n`;
    },
  },
});

/** Renders our own Markdown. Never pass an owner's or contributor's text: Markdown may contain HTML. */
export const markdown = (text: string): Html => raw(marked.parse(text, { async: false }));
