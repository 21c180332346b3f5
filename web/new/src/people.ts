import { CsvError, csvRecords } from '@recording-request/contract/csv-records';
import type { InvitationInput } from '@recording-request/contract/invitation';
import { LIMITS } from '@recording-request/contract/limits';

/** The people of a pasted list or table. */
export interface PastedPeople {
  people: InvitationInput[];
  /** The line of each person in the pasted text, from 1. */
  lines: number[];
  /** A sentence if the text cannot be read; otherwise "". */
  problem: string;
}

const COLUMNS = ['name', 'reference', 'email', 'locale', 'dueAt'] as const;
const META = 'meta.';
type Column = (typeof COLUMNS)[number] | `${typeof META}${string}`;

const SEPARATORS = ['\t', ';', ','];
// Enough for the first lines.
const SAMPLE_LENGTH = 2_000;
const CELLS_MOST = COLUMNS.length + LIMITS.metadataKeys;

function columnOf(cell: string): Column | undefined {
  const name = cell.trim();
  if (name.startsWith(META) && name.length > META.length) return name as Column;
  return COLUMNS.find(column => column.toLowerCase() === name.toLowerCase());
}

/**
 * Reads people from a text: a table with a header, as `POST …/links` accepts it, or a list without a header, with a
 * name, an email address or both in each line.
 */
export function readPeople(text: string): PastedPeople {
  try {
    return people(text.replace(/^\ufeff/, ''));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { people: [], lines: [], problem: `Line ${error.line}: ${error.message}.` };
  }
}

function people(text: string): PastedPeople {
  const found: PastedPeople = { people: [], lines: [], problem: '' };
  const separator = separatorOf(text);
  let columns: Column[] | undefined;
  let isFirst = true;
  for (const { line, cells } of csvRecords(text, separator, CELLS_MOST)) {
    const texts = cells.map(cell => cell.trim());
    if (texts.every(each => each === '')) continue;
    if (isFirst) {
      isFirst = false;
      if (texts.some(each => columnOf(each) !== undefined)) {
        const unknown = texts.find(each => each !== '' && columnOf(each) === undefined);
        if (unknown !== undefined)
          return {
            ...found,
            problem: `The header has a column that is not known. Use ${COLUMNS.join(', ')}, ${META}…`,
          };
        columns = texts.map(each => columnOf(each)!);
        continue;
      }
    }
    if (found.people.length === LIMITS.count)
      return {
        ...found,
        problem: `A project can be created with ${LIMITS.count.toLocaleString('en')} people at most.`,
      };
    found.people.push(columns ? fromColumns(texts, columns) : fromLine(texts));
    found.lines.push(line);
  }
  return found;
}

/** Returns the separator that occurs most often in the first lines. */
function separatorOf(text: string): string {
  const lines = text.slice(0, SAMPLE_LENGTH);
  const cellsBy = (separator: string) => lines.split(separator).length;
  return SEPARATORS.reduce((best, each) => (cellsBy(each) > cellsBy(best) ? each : best));
}

function fromColumns(texts: string[], columns: Column[]): InvitationInput {
  const person: InvitationInput = {};
  const metadata: Record<string, string> = {};
  columns.forEach((column, index) => {
    const cell = texts[index] ?? '';
    if (cell === '' || column === undefined) return;
    if (column.startsWith(META)) metadata[column.slice(META.length)] = cell;
    else person[column as (typeof COLUMNS)[number]] = cell;
  });
  return Object.keys(metadata).length > 0 ? { ...person, metadata } : person;
}

// `Ada Lovelace <ada@example.org>`, as mail programs write it.
const MAILBOX = /^(.*)<([^<>\s]+@[^<>\s]+)>$/;

function fromLine(texts: string[]): InvitationInput {
  const mailbox = MAILBOX.exec(texts[0] ?? '');
  const parts = mailbox ? [mailbox[1]!.trim(), mailbox[2]!, ...texts.slice(1)] : texts;
  const email = parts.find(part => part.includes('@'));
  const name = parts.filter(part => part !== '' && part !== email).join(' ');
  return { ...(name !== '' && { name }), ...(email !== undefined && { email }) };
}
