import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Page } from '../clients/pages.ts';
import type { Context } from '../context.ts';
import { sendUnlessSame } from './answers.ts';

const PART_LENGTH = 128 * 1024;

/** A JSON object with one long list. The gateway reads the list's pages while it sends them. */
export interface ListAnswer<T> {
  /** The name of the list's field. */
  name: string;
  /** Returns the fields before the list. */
  before(first: T): object;
  /** Returns the rows of a page in their public form. */
  rows(page: T): readonly object[];
  /** Returns the fields after the list. */
  after?(last: T): object;
  /** At least one page. */
  pages: AsyncGenerator<Page<T>>;
  /** True if the caller has already counted the request against the limit of lists. */
  isAdmitted?: boolean;
}

/**
 * Sends a list. Reads the first page before it sends headers, so that an error can still be sent as JSON. Sends a list
 * of one page as a whole, with an ETag. Writes a longer list page by page at the client's pace, so that a client that
 * stops reading holds only one page in memory; a later error breaks the connection. Throws `too_many` beyond the limits
 * of lists.
 */
export async function sendList<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  { streams }: Pick<Context, 'streams'>,
  list: ListAnswer<T>,
): Promise<FastifyReply> {
  const { value: first } = await list.pages.next();
  if (!first) throw new Error('the list has no page');
  if (first.isLast) {
    const whole = { ...list.before(first), [list.name]: list.rows(first), ...list.after?.(first) };
    return request.method === 'POST' ? reply.send(whole) : sendUnlessSame(request, reply, whole);
  }
  reply.type('application/json; charset=utf-8');
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  if (!list.isAdmitted) streams.lists(request, reply);
  return reply.send(Readable.from(jsonOf(list, first), { objectMode: true, highWaterMark: 1 }));
}

/** Yields the text that JSON.stringify would return for the whole object. */
async function* jsonOf<T>(list: ListAnswer<T>, first: Page<T>): AsyncGenerator<string> {
  yield JSON.stringify({ ...list.before(first), [list.name]: [] }).slice(0, -']}'.length);
  let comma = '';
  let last = first;
  for await (const page of startingWith(first, list.pages)) {
    last = page;
    for (const text of textsOf(list.rows(page))) {
      yield comma + text;
      comma = ',';
    }
  }
  const end = JSON.stringify(list.after?.(last) ?? {}).slice(1);
  yield end === '}' ? ']}' : `],${end}`;
}

async function* startingWith<T>(first: T, others: AsyncGenerator<T>): AsyncGenerator<T> {
  yield first;
  yield* others;
}

/** Yields the rows of a page in parts, because all rows of a creation together can be 8 MB long. */
function* textsOf(rows: readonly object[]): Generator<string> {
  let text = '';
  for (const row of rows) {
    text += text === '' ? JSON.stringify(row) : `,${JSON.stringify(row)}`;
    if (text.length < PART_LENGTH) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
