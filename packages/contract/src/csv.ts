/** export.csv: RFC 4180, UTF-8, CRLF, one row a submission. */
import { Submission, type SubmissionJson } from './resources/submission.ts';

/** What a spreadsheet would take for a formula, also after a tab or CR that it skips. */
const FORMULA_START = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** The contract's order without the WebVTT; `terms`, the one nested field, comes flat; behind it what was added later. */
const PLAIN_FIELDS = Object.keys(Submission.properties).filter(
  (name): name is keyof SubmissionJson => name !== 'transcriptVtt' && name !== 'terms' && name !== 'language',
);
const LAST_FIELDS = ['termsSha256', 'termsAcceptedAt', 'language'];

/**
 * One cell. Text that a spreadsheet would run gets a leading `'`; take it off again to have the text. Every text is
 * looked at, so that a field that becomes free text later is safe already; numbers are ours and stay as they are.
 */
export function csvCell(value: string | number | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const safe = FORMULA_START.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The header row with its CRLF. */
export function csvHeader(): string {
  return `${[...PLAIN_FIELDS, ...LAST_FIELDS].join(',')}\r\n`;
}

/** One row with its CRLF. */
export function csvRow(submission: SubmissionJson): string {
  let row = '';
  for (const field of PLAIN_FIELDS) row += `${csvCell(submission[field] as string | number | boolean | null)},`;
  const { terms, language } = submission;
  const last = [terms?.sha256 ?? null, terms?.acceptedAt ?? null, language];
  return `${row}${last.map(csvCell).join(',')}\r\n`;
}
