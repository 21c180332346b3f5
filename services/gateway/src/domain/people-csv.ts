import { CsvError, type CsvRecord, csvRecords } from '@recording-request/contract/csv-records';
import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';

/** The columns of a person. Letter case does not matter in a header. */
const COLUMNS = ['name', 'reference', 'email', 'locale', 'dueAt', 'timeFactor'] as const;
const META = 'meta.';
/** An import that fails returns the file with this column. A new import ignores the column. */
const ERROR = 'error';
const SEPARATORS = [',', ';', '\t'];
// More cells than any valid header has.
const HEADER_CELLS = COLUMNS.length + LIMITS.metadataKeys + 20;

type Column = (typeof COLUMNS)[number] | typeof ERROR | `${typeof META}${string}`;

/** A file of people: its header and its non-empty rows. */
export interface PeopleFile {
  /** Without a byte order mark. */
  text: string;
  separator: string;
  header: CsvRecord;
  columns: Column[];
  rows: PersonRow[];
}

export interface PersonRow {
  record: CsvRecord;
  /** The row in the form of a JSON body. */
  person: { metadata?: Record<string, string>; [column: string]: unknown };
}

const wrong = (sentence: string) => new DomainError('invalid', sentence);

/**
 * Returns the text of a file without its byte order mark. Decodes UTF-16 if the mark says so, otherwise `charset`.
 * Throws `invalid` for bytes that are not valid in this charset.
 */
export function textOfFile(bytes: Buffer, charset = 'utf-8'): { text: string; hasMark: boolean } {
  const [first, second] = bytes;
  let encoding = charset.toLowerCase();
  if (first === 0xff && second === 0xfe) encoding = 'utf-16le';
  else if (first === 0xfe && second === 0xff) encoding = 'utf-16be';
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
    const hasMark = text.startsWith('\ufeff');
    return { text: hasMark ? text.slice(1) : text, hasMark };
  } catch {
    throw wrong('The file is not valid UTF-8 or UTF-16: save it as "CSV UTF-8".');
  }
}

/**
 * Reads a CSV file of people whose first record is the header. Calls `pause` at intervals, so that other requests can
 * run. Throws `invalid` for a file that cannot be read as a whole.
 */
export async function readPeople(text: string, pause: () => Promise<unknown>): Promise<PeopleFile> {
  if (text.trim() === '') throw wrong(`The file is empty: ${HEADER_RULE}`);
  try {
    const { separator, header } = headerOf(text, separatorLine(text));
    const columns = columnsOf(header);
    const rows: PersonRow[] = [];
    let read = 0;
    for (const record of csvRecords(text, separator, columns.length, header)) {
      if (read++ % PAUSE_ROWS === PAUSE_ROWS - 1) await pause();
      if (rows.length === LIMITS.count && !isEmpty(record))
        throw wrong(`The file has more than ${LIMITS.count.toLocaleString('en')} rows: split it.`);
      if (read > RECORDS_MAX) throw wrong('The file has too many empty lines: remove them.');
      if (record.start === header.start || isEmpty(record)) continue;
      rows.push({ record, person: personOf(record, columns) });
    }
    if (rows.length === 0) throw wrong('The file has no row after its header.');
    return { text, separator, header, columns, rows };
  } catch (error) {
    throw error instanceof CsvError ? wrong(`Line ${error.line}: ${error.message}.`) : error;
  }
}

const PAUSE_ROWS = 500;
const RECORDS_MAX = 2 * LIMITS.count;
const HEADER_RULE = `the first line must name the columns, such as ${COLUMNS.join(', ')}, ${META}team.`;

const isEmpty = ({ cells, hasMore }: CsvRecord): boolean => !hasMore && cells.every(cell => cell.trim() === '');

interface Start {
  separators: string[];
  start: number;
  line: number;
}

// Matches the line `sep=;`. A spreadsheet also splits this line at the separator and adds empty cells.
const SEPARATOR_LINE = /^"?sep=([^"\r\n])"?[,;\t]*(?:\r\n|\r|\n)/i;

/**
 * Returns the start of the header: after the line `sep=;`, if there is one. Excel reads the separator from this line.
 */
function separatorLine(text: string): Start {
  const [whole, separator] = SEPARATOR_LINE.exec(text) ?? [];
  if (whole === undefined || separator === undefined) return { separators: SEPARATORS, start: 0, line: 1 };
  if (!SEPARATORS.includes(separator))
    throw wrong(`The first line names the separator ${JSON.stringify(separator)}: use a comma, a semicolon or a tab.`);
  return { separators: [separator], start: whole.length, line: 2 };
}

/** Returns the header, and the separator that gives it the most known columns. */
function headerOf(text: string, { separators, ...from }: Start): { separator: string; header: CsvRecord } {
  if (text.length === from.start) throw wrong(`The file has no header: ${HEADER_RULE}`);
  const found = separators.map(separator => {
    const { value: header } = csvRecords(text, separator, HEADER_CELLS, from).next();
    return { separator, header: header!, known: header!.cells.filter(isKnown).length };
  });
  const best = found.reduce((most, each) => (each.known > most.known ? each : most));
  // The sentence does not quote the line, because without a header the first line has a person's data.
  if (best.known === 0) throw wrong(`The file has no header: ${HEADER_RULE}`);
  return best;
}

const isKnown = (cell: string): boolean => columnOf(cell) !== undefined;

function columnOf(cell: string): Column | undefined {
  const name = cell.trim();
  const lower = name.toLowerCase();
  if (lower === ERROR) return ERROR;
  if (lower.startsWith(META) && name.length > META.length) return `${META}${name.slice(META.length)}`;
  return COLUMNS.find(column => column.toLowerCase() === lower);
}

/** Returns the columns, without empty ones at the end, which spreadsheets add. */
function columnsOf({ cells, hasMore }: CsvRecord): Column[] {
  const last = cells.findLastIndex(cell => cell.trim() !== '');
  if (hasMore) throw wrong(`The header has too many columns: at most ${LIMITS.metadataKeys} may begin with ${META}.`);
  const columns = cells.slice(0, last + 1).map((cell, index) => {
    const column = columnOf(cell);
    if (column === undefined) throw unknownColumn(cell.trim(), index + 1);
    return column;
  });
  const twice = columns.find((column, index) => column !== ERROR && columns.indexOf(column) !== index);
  if (twice) throw wrong(`The header names the column ${JSON.stringify(clip(twice))} twice.`);
  const keys = columns.filter(column => column.startsWith(META));
  if (keys.length > LIMITS.metadataKeys)
    throw wrong(`The header has ${keys.length} columns that begin with ${META}: at most ${LIMITS.metadataKeys} may.`);
  return columns;
}

function unknownColumn(name: string, position: number): DomainError {
  if (name === '') return wrong(`Column ${position} of the header has no name.`);
  return wrong(
    `${JSON.stringify(clip(name))} is not a column that this file takes: use ${COLUMNS.join(', ')}, and ${META}… for metadata.`,
  );
}

const clip = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

// Spreadsheets write a comma in many languages.
const DECIMAL = /^\d{1,3}(?:[.,]\d{1,9})?$/;

/** Returns the number in a cell; other text stays text, which the check of the row refuses. */
const factorOf = (cell: string): number | string => (DECIMAL.test(cell) ? Number(cell.replace(',', '.')) : cell);

/** Returns a row in the form of a JSON body. Omits empty cells. */
function personOf({ cells }: CsvRecord, columns: Column[]): PersonRow['person'] {
  const person: PersonRow['person'] = {};
  const metadata: [string, string][] = [];
  columns.forEach((column, index) => {
    const cell = cells[index]?.trim() ?? '';
    if (cell === '' || column === ERROR) return;
    if (column.startsWith(META)) metadata.push([column.slice(META.length), cell]);
    else person[column] = column === 'timeFactor' ? factorOf(cell) : cell;
  });
  if (metadata.length > 0) person.metadata = Object.fromEntries(metadata);
  return person;
}

/**
 * Yields the parts of the file with a last column `error`, which replaces the column `error` of an earlier import.
 * Empty columns at the end are removed.
 */
export function* withErrors(file: PeopleFile, errorOf: (row: PersonRow) => string): Generator<string> {
  const { text, separator, header, columns, rows } = file;
  const kept = columns.at(-1) === ERROR ? columns.length - 1 : columns.length;
  const line = ({ start, end, ends, hasMore }: CsvRecord, cell: string) => {
    const last = hasMore ? end : (ends[Math.min(kept, ends.length) - 1] ?? start);
    const missing = separator.repeat(Math.max(0, kept - ends.length));
    return `${text.slice(start, last)}${missing}${separator}${cell}\r\n`;
  };
  yield text.slice(0, header.start);
  yield line(header, ERROR);
  for (const row of rows) yield line(row.record, errorOf(row));
}
