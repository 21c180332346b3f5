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

/** Returns a cell in quotes. A spreadsheet must not run a text as a formula. */
function cellOf(value: string | null | undefined): string {
  const text = (value ?? '').replace(/^(?=[=+\-@\t\r])/, "'");
  return `"${text.replaceAll('"', '""')}"`;
}
