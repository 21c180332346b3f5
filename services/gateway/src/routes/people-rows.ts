import { Readable } from 'node:stream';
import { setImmediate as pause } from 'node:timers/promises';
import { csvCell } from '@recording-request/contract/csv';
import { type InvitationInput, invitationInput } from '@recording-request/contract/invitation';
import { type AddLinksInput, UncheckedLinksBody } from '@recording-request/contract/link-requests';
import type { InvalidRowJson } from '@recording-request/contract/resources/links-added';
import { createFaultFinders, describeFault, type Fault } from '@recording-request/contract/validation';
import { DomainError } from '@recording-request/kit/errors';
import type { Invitation } from '@recording-request/proto/projects/v1/projects';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invitationOf } from '../clients/invitations.ts';
import { contentDisposition } from '../domain/content-disposition.ts';
import { type PeopleFile, readPeople, textOfFile, withErrors } from '../domain/people-csv.ts';
import { charsetOf } from '../plugins/bodies.ts';

/** The people of a request, from JSON or from a CSV file. */
export interface People {
  valid: { line: number; invitation: Invitation }[];
  /** The faults of the invalid rows, in order. */
  faults: InvalidRowJson[];
  /** The file; undefined for JSON. */
  file: PeopleFile | undefined;
  /** True if the file has a byte order mark. */
  hasMark: boolean;
  /** The choice that a JSON body states. */
  onDuplicate: AddLinksInput['onDuplicate'];
}

interface Row {
  line: number;
  value: unknown;
  /** True for a row with more cells than the header. */
  hasMore?: boolean;
}

const ROWS_AT_ONCE = 500;
const findFaults = createFaultFinders({ coerce: false });
const faultsInBody = findFaults(UncheckedLinksBody);
const faultsInRow = findFaults(invitationInput);

/** Reads and checks the people of a request. Throws `invalid` for a body that cannot be read as a whole. */
export async function peopleOf(request: FastifyRequest): Promise<People> {
  const { body } = request;
  if (!Buffer.isBuffer(body)) {
    const faults = faultsInBody(body);
    if (faults) throw Object.assign(new Error('the body is not valid'), { validation: faults });
    const { links, onDuplicate } = body as AddLinksInput;
    const rows = links.map((value, index) => ({ line: index + 1, value }));
    return { ...(await checked(rows, false)), file: undefined, hasMark: false, onDuplicate };
  }
  const { text, hasMark } = textOfFile(body, charsetOf(request));
  const file = await readPeople(text, pause);
  const rows = file.rows.map(({ record: { line, hasMore }, person }) => ({ line, value: person, hasMore }));
  return { ...(await checked(rows, true)), file, hasMark, onDuplicate: undefined };
}

async function checked(rows: Row[], isFile: boolean): Promise<Pick<People, 'valid' | 'faults'>> {
  const valid: People['valid'] = [];
  const faults: InvalidRowJson[] = [];
  for (const [index, { line, value, hasMore }] of rows.entries()) {
    if (index % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await pause();
    const found = faultsInRow(value)?.map(fault => faultOf(fault, isFile)) ?? [];
    if (hasMore) found.unshift({ field: null, reason: 'has more cells than the header' });
    if (found.length === 0) valid.push({ line, invitation: invitationOf(value as InvitationInput) });
    for (const fault of found) faults.push({ line, ...fault });
  }
  return { valid, faults };
}

/** In a CSV file, the columns of metadata begin with `meta.`. */
function faultOf(fault: Fault, isFile: boolean): Omit<InvalidRowJson, 'line'> {
  const { field, reason } = describeFault(fault);
  return { field: isFile ? (field?.replace(/^metadata\b/, 'meta') ?? null) : field, reason };
}

/** Returns the 400 that names the first fault. */
export function invalidRows({ faults, file }: People): DomainError {
  const [first] = faults;
  const others = new Set(faults.map(({ line }) => line)).size - 1;
  const { line, field, reason } = first!;
  const where = file ? `Line ${line}: ${field ?? 'the row'}` : `links[${line - 1}]${field === null ? '' : `.${field}`}`;
  const more = others === 0 ? '' : `; ${others} more ${others === 1 ? 'row is' : 'rows are'} not valid`;
  return new DomainError('invalid', `${where} ${reason}${more}. Nothing was created.`);
}

/** Returns whether the client gets a refusal as a CSV file with errors: it sent a CSV file and accepts CSV. */
export const takesFile = ({ headers }: FastifyRequest, { file }: People): boolean =>
  file !== undefined && CSV.test(headers.accept ?? '');

// `q=0` means that the client does not accept it.
const CSV = /\btext\/csv\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

/** Sends the file back with the errors of its lines in the column `error`. */
export function sendErrors(
  reply: FastifyReply,
  status: number,
  reason: string,
  { file, hasMark }: People,
  errors: ReadonlyMap<number, string>,
): FastifyReply {
  const lines = withErrors(file!, ({ record: { line } }) => csvCell(errors.get(line) ?? null));
  return reply
    .code(status)
    .headers({
      'error-code': reason,
      'content-disposition': contentDisposition('attachment', 'people with errors.csv'),
    })
    .type('text/csv; charset=utf-8')
    .send(Readable.from(chunksOf(lines, hasMark)));
}

function* chunksOf(lines: Iterable<string>, hasMark: boolean): Generator<string> {
  let chunk = hasMark ? '\ufeff' : '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

const CHUNK_LENGTH = 64 * 1024;

/** Returns the sentence for each line with a fault. */
export function errorsByLine(faults: readonly InvalidRowJson[]): Map<number, string> {
  const errors = new Map<number, string>();
  for (const { line, field, reason } of faults) {
    const before = errors.get(line);
    errors.set(line, `${before === undefined ? '' : `${before}; `}${field ?? 'the row'} ${reason}`);
  }
  return errors;
}
