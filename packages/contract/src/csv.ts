/** export.csv: RFC 4180, UTF-8, CRLF, one row per submission. */
import type { SubmissionJson } from './resources/submission.ts';

/**
 * Matches the start of a text that a spreadsheet reads as a formula: a sign, its full-width form, a sign after
 * characters that the spreadsheet skips or hides, a tab, or a line break.
 */
const SKIPPED = '[\\s\\p{Default_Ignorable_Code_Point}]*';
const SIGN = '[=+\\-@＝＋－＠]';
const FORMULA_START = new RegExp(`^(?:[\\t\\r\\n]|${SKIPPED}${SIGN})`, 'u');
/**
 * A spreadsheet with the list separator `;` splits the row at each `;`, because it reads quotes only at the start of a
 * cell. Text after a `;`, a tab or a line break then starts a cell.
 */
const INNER_START = new RegExp(`([;\\t\\r\\n])(?=["\\s\\p{Default_Ignorable_Code_Point}]*${SIGN})`, 'gu');

type Cell = string | number | boolean | null;

/** The columns in their order. Owners' programs count columns, so add new ones at the end. */
const COLUMNS = [
  'submissionId',
  'videoId',
  'tokenId',
  'projectId',
  'projectName',
  'responseSessionId',
  'questionIndex',
  'questionText',
  'createdAt',
  'durationSec',
  'fileSize',
  'mimeType',
  'note',
  'reviewNote',
  'selected',
  'transcriptStatus',
  'transcriptText',
  'transcriptError',
  'termsAccepted',
  'transcriptTextUrl',
  'transcriptVttUrl',
  'videoUrl',
  'thumbnailStartUrl',
  'thumbnailMiddleUrl',
  'thumbnailEndUrl',
  'audioUrl',
  'mediaStatus',
  'mediaError',
  'incomplete',
  'sha256',
  'termsSha256',
  'termsAcceptedAt',
  'language',
  'responseId',
  'recipientName',
  'recipientReference',
  'recipientEmail',
  'recipientLocale',
  'recipientVerified',
  'metadata',
  'late',
  'changedAt',
  'sandbox',
  'rating',
  'answerMode',
  'signed',
] as const;

/**
 * Returns one cell. Quotes every text, so a field that becomes free text later is already safe; numbers have no quotes.
 * Text that a spreadsheet would run as a formula gets a leading `'`. A spreadsheet that separates by `;` or tab can
 * also start a cell inside the text: a formula there gets a `'` too.
 */
export function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const inner = value.replaceAll(INNER_START, "$1'");
  const safe = FORMULA_START.test(value) ? `'${inner}` : inner;
  return `"${safe.replaceAll('"', '""')}"`;
}

export const csvHeader = (): string => `${COLUMNS.join(',')}\r\n`;

/** Returns one row with its CRLF. */
export function csvRow({ terms, recipient, metadata, ...submission }: SubmissionJson): string {
  const flat = {
    termsSha256: terms?.sha256 ?? null,
    termsAcceptedAt: terms?.acceptedAt ?? null,
    recipientName: recipient?.name ?? null,
    recipientReference: recipient?.reference ?? null,
    recipientEmail: recipient?.email ?? null,
    recipientLocale: recipient?.locale ?? null,
    recipientVerified: recipient?.verified ?? null,
    metadata: JSON.stringify(metadata),
  };
  const cells: Record<(typeof COLUMNS)[number], Cell> = { ...submission, ...flat };
  return `${COLUMNS.map(name => csvCell(cells[name])).join(',')}\r\n`;
}
