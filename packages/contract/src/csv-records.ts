/** A record of a CSV file. Its text in the file is `text.slice(start, end)`, without the line break. */
export interface CsvRecord {
  /** The line on which the record begins, from 1. */
  line: number;
  /** At most `most` cells. */
  cells: string[];
  /** True if a cell after these has a text. */
  hasMore: boolean;
  start: number;
  end: number;
  /** The end offset of each cell. */
  ends: number[];
}

/** A record that is not CSV. */
export class CsvError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.name = 'CsvError';
    this.line = line;
  }
}

/** The maximum length of a cell. A longer cell is cut to this length, which every column refuses as too long. */
const CELL_LENGTH = 2_000;
/** A record may have this many cells more than `most`, because spreadsheets add empty cells. */
const EXTRA_CELLS_MOST = 1_000;
const QUOTE = '"';

/**
 * Yields the records of a CSV file (RFC 4180), with CRLF, LF or CR. A quote inside a cell without quotes is text. Keeps
 * at most `most` cells of a record, and refuses a record with far more, so that a file of a million separators costs no
 * memory. csv-parse has no such limit, and numbers a record by its last line. `from` is the start of the first record.
 * Throws a CsvError.
 */
export function* csvRecords(
  text: string,
  separator: string,
  most: number,
  from: Pick<CsvRecord, 'start' | 'line'> = { start: 0, line: 1 },
): Generator<CsvRecord> {
  const stop = new RegExp(`[${separator}\\r\\n]`, 'g');
  let { start: at, line } = from;
  while (at < text.length) {
    const record: CsvRecord = { line, cells: [], hasMore: false, start: at, end: at, ends: [] };
    let count = 0;
    for (;;) {
      const cell = text[at] === QUOTE ? quotedCell(text, at, line) : plainCell(text, at, stop);
      at = cell.end;
      if (record.cells.length < most) {
        record.cells.push(cell.text);
        record.ends.push(at);
      } else if (cell.text.trim() !== '') record.hasMore = true;
      if (++count > most + EXTRA_CELLS_MOST) throw new CsvError(line, 'the row has far more cells than the header');
      line += cell.breaks;
      if (at < text.length && !isBreak(text[at]) && text[at] !== separator)
        throw new CsvError(line, 'a cell goes on after its closing quote; write a quote inside a cell twice');
      if (text[at] !== separator) break;
      at += 1;
    }
    record.end = at;
    if (at < text.length) {
      at += text.startsWith('\r\n', at) ? 2 : 1;
      line += 1;
    }
    yield record;
  }
}

const isBreak = (letter: string | undefined): boolean => letter === '\r' || letter === '\n';

interface Cell {
  text: string;
  end: number;
  /** The number of line breaks inside. */
  breaks: number;
}

function plainCell(text: string, start: number, stop: RegExp): Cell {
  stop.lastIndex = start;
  const end = stop.exec(text)?.index ?? text.length;
  return { text: bounded(text.slice(start, Math.min(end, start + CELL_LENGTH + 1))), end, breaks: 0 };
}

function quotedCell(text: string, start: number, line: number): Cell {
  let value = '';
  for (let from = start + 1; ; ) {
    const quote = text.indexOf(QUOTE, from);
    if (quote < 0) throw new CsvError(line, 'a cell has no closing quote');
    const isDouble = text[quote + 1] === QUOTE;
    const end = isDouble ? quote + 1 : quote;
    if (value.length <= CELL_LENGTH) value += text.slice(from, Math.min(end, from + CELL_LENGTH + 1));
    if (!isDouble) return { text: bounded(value), end: quote + 1, breaks: breaksIn(text, start, quote) };
    from = quote + 2;
  }
}

/**
 * Pads a cut cell with a visible character. Otherwise, trimming could remove white space at the cut, and the cell
 *  would seem short enough.
 */
const bounded = (text: string): string =>
  text.length > CELL_LENGTH ? text.slice(0, CELL_LENGTH).trim().padEnd(CELL_LENGTH, '…') : text;

function breaksIn(text: string, start: number, end: number): number {
  let breaks = 0;
  for (let at = start; at < end; at++) {
    if (text[at] === '\n' || (text[at] === '\r' && text[at + 1] !== '\n')) breaks += 1;
  }
  return breaks;
}
