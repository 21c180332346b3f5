import type { api } from '@recording-request/client';

/** Returns the table of new links, with the columns of the people and the link. */
export function linksTable(links: readonly api.CreatedRecipientLink[]): string {
  const names = [...new Set(links.flatMap(({ metadata }) => Object.keys(metadata)))].sort();
  const head = ['name', 'reference', 'email', 'locale', 'dueAt', ...names.map(name => `meta.${name}`), 'recipientUrl'];
  const rows = links.map(({ recipient, dueAt, metadata, recipientUrl, tokenId }) => [
    ...[recipient?.name, recipient?.reference, recipient?.email, recipient?.locale, dueAt],
    ...names.map(name => metadata[name]),
    ...[recipientUrl, tokenId],
  ]);
  return [[...head, 'tokenId'], ...rows].map(row => `${row.map(cellOf).join(',')}\r\n`).join('');
}

// A spreadsheet skips or hides these characters before a formula. It also takes a full-width sign for the start of one.
const HIDDEN = '\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}';
const SIGN = '[=+\\-@＝＋－＠]';
const FORMULA = new RegExp(`^(?:[\\t\\r\\n]|[${HIDDEN}]*${SIGN})`, 'u');
// If a spreadsheet separates cells by `;` or tab, another cell begins after each of these and after a line break.
const INNER_FORMULA = new RegExp(`([;\\t\\r\\n])(?=["${HIDDEN}]*${SIGN})`, 'gu');

/** Returns a cell in quotes. Puts a `'` before each formula in the text, so that a spreadsheet does not run it. */
function cellOf(value: string | null | undefined): string {
  const text = (value ?? '').replaceAll(INNER_FORMULA, "$1'").replace(FORMULA, "'$&");
  return `"${text.replaceAll('"', '""')}"`;
}
