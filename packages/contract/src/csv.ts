/** export.csv: RFC 4180, UTF-8, CRLF, one row a submission. */
import { Submission, type SubmissionJson } from './resources/submission.ts';

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

/** The contract's order without the WebVTT; `terms`, the one nested field, comes flat; behind it what was added later. */
const PLAIN_FIELDS = Object.keys(Submission.properties).filter(
  (name): name is keyof SubmissionJson => !['transcriptVtt', 'terms', 'language', 'responseId'].includes(name),
);
const LAST_FIELDS = ['termsSha256', 'termsAcceptedAt', 'language', 'responseId'];

/**
 * One cell. Every text is quoted, so that a field that becomes free text later is safe already; numbers are ours and stay as
 * they are. Text that a spreadsheet would run gets a leading `'`. So does each inner place where a spreadsheet that separates by
 * `;` or tab would begin a cell with a formula.
 */
export function csvCell(value: string | number | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const inner = value.replaceAll(INNER_START, "$1'");
  const safe = FORMULA_START.test(value) ? `'${inner}` : inner;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** The header row with its CRLF. */
export function csvHeader(): string {
  return `${[...PLAIN_FIELDS, ...LAST_FIELDS].join(',')}\r\n`;
}

/** One row with its CRLF. */
export function csvRow(submission: SubmissionJson): string {
  const { terms, language, responseId } = submission;
  const values = PLAIN_FIELDS.map(field => submission[field] as string | number | boolean | null);
  return `${[...values, terms?.sha256 ?? null, terms?.acceptedAt ?? null, language, responseId].map(csvCell).join(',')}\r\n`;
}
