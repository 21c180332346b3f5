/** export.csv: RFC 4180, UTF-8, CRLF, one row a submission. */
import type { SubmissionJson } from './resources/submission.ts';

/**
 * The start of a text that a spreadsheet takes for a formula: a sign, its full-width form, or one behind characters that the
 * spreadsheet skips or does not show. A tab or a line break counts by itself.
 */
const SKIPPED = '[\\s\\p{Default_Ignorable_Code_Point}]*';
const SIGN = '[=+\\-@＝＋－＠]';
const FORMULA_START = new RegExp(`^(?:[\\t\\r\\n]|${SKIPPED}${SIGN})`, 'u');
/**
 * A spreadsheet whose list separator is `;` splits the row at each `;`: its quotes count only at the start of a
 * cell, and the first cell ends at the first comma. The text behind a `;`, a tab or a line break then starts a cell.
 */
const INNER_START = new RegExp(`([;\\t\\r\\n])(?=["\\s\\p{Default_Ignorable_Code_Point}]*${SIGN})`, 'gu');

type Cell = string | number | boolean | null;

/** The columns in their order. Programs of owners count them, so a new one goes to the end. */
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
] as const;

/**
 * One cell. Every text is quoted, so that a field that becomes free text later is safe already; numbers are ours and stay as
 * they are. Text that a spreadsheet would run gets a leading `'`. So does each inner place where a spreadsheet that separates by
 * `;` or tab would begin a cell with a formula.
 */
export function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const inner = value.replaceAll(INNER_START, "$1'");
  const safe = FORMULA_START.test(value) ? `'${inner}` : inner;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** The header row with its CRLF. */
export const csvHeader = (): string => `${COLUMNS.join(',')}\r\n`;

/** One row with its CRLF. */
export function csvRow({ terms, ...submission }: SubmissionJson): string {
  const flat = { termsSha256: terms?.sha256 ?? null, termsAcceptedAt: terms?.acceptedAt ?? null };
  const cells: Record<(typeof COLUMNS)[number], Cell> = { ...submission, ...flat };
  return `${COLUMNS.map(name => csvCell(cells[name])).join(',')}\r\n`;
}
