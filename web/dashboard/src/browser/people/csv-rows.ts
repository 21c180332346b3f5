import { csvRecords } from '@recording-request/contract/csv-records';

// The rows of a CSV file, as far as the preview needs them: the text of a row, and a file without some rows. The server
// checks the file; this file only finds the lines that the server names.

const SEPARATORS = [',', ';', '\t'];
const SEPARATOR_LINE = /^"?sep=([^"\r\n])"?[,;\t]*(?:\r\n|\r|\n)/i;
const KNOWN = /^(?:name|reference|email|locale|dueat|error|meta\..+)$/is;
/** More cells than a header may have. */
const CELLS = 100;

export interface Row {
  /** The line of the file on which the row begins, from 1. */
  line: number;
  /** The text with its line break. */
  text: string;
}

/**
 * Returns the text of a file, without its byte order mark. Returns undefined for bytes that are neither UTF-8 nor UTF-16
 * with a mark.
 */
export function textOfFile(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the rows of a file that the server could read, the header and empty lines included. */
export function rowsOf(text: string): Row[] {
  const [declared = '', separator] = SEPARATOR_LINE.exec(text) ?? [];
  const from = { start: declared.length, line: declared ? 2 : 1 };
  const records = [...csvRecords(text, separator ?? separatorOf(text, from), CELLS, from)];
  const rows = records.map(({ line, start }, index) => ({
    line,
    text: text.slice(start, records[index + 1]?.start ?? text.length),
  }));
  return declared ? [{ line: 1, text: declared }, ...rows] : rows;
}

/** Returns the separator that gives the header the most known columns, as the server chooses it. */
function separatorOf(text: string, from: { start: number; line: number }): string {
  const found = SEPARATORS.map(separator => {
    const { value: header } = csvRecords(text, separator, CELLS, from).next();
    return { separator, known: header?.cells.filter((cell: string) => KNOWN.test(cell.trim())).length ?? 0 };
  });
  return found.reduce((most, each) => (each.known > most.known ? each : most)).separator;
}

/** Returns the file without the rows that begin on these lines. */
export const withoutLines = (rows: Row[], lines: ReadonlySet<number>): string =>
  rows
    .filter(({ line }) => !lines.has(line))
    .map(({ text }) => text)
    .join('');
