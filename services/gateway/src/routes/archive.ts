import { Readable } from 'node:stream';
import { downloadName } from '@recording-request/contract/download-name';
import { DomainError } from '@recording-request/kit/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { endWhenErased, isOver, readArchive } from '../adapters/archive-reader.ts';
import type { Context } from '../context.ts';
import { noneMatch, parseRange } from '../domain/byte-range.ts';
import { contentDisposition } from '../domain/content-disposition.ts';
import { ByteStream } from '../plugins/byte-stream.ts';
import { projectOf } from '../plugins/caller.ts';
import type { ExportFile, ExportOptions } from './export-stream.ts';
import { rangeOf } from './media.ts';
import { knownName } from './submissions.ts';

// Longer than the submissions service takes to open an archive.
const OPEN_MS = 60_000;

/**
 * Sends project.zip, or the range that the client requests, at the client's pace. An interrupted download continues in
 * the same archive while the archive exists, even when new clips land. Throws `too_many` at the limit of concurrent
 * exports.
 */
export async function sendArchive(
  request: FastifyRequest,
  reply: FastifyReply,
  context: Context,
  file: ExportFile,
  options: ExportOptions,
) {
  const { ownerId, projectId } = projectOf(request);
  const { exports } = context.services;
  const { filter, includeLinks, withoutPeople, referenceNames } = options;
  const selection = { ownerId, projectId, filter, includeLinks, withoutPeople, referenceNames };
  const open = (begun: Begun) => exports.openArchive({ ...selection, ...begun }, { deadlineMs: OPEN_MS });
  const projectName = knownName(context, { ownerId, projectId });
  if (request.method !== 'HEAD') context.streams.exports(request, reply);
  const found = await open(begunWith(request));
  // Sends the whole archive: bytes of a different archive would not match the bytes that the client has, and the client
  // would not notice.
  const isWhole = found.mayDiffer && isNamelessRest(request);
  const { archiveId, etag, size } = isWhole ? await open(PRESENT) : found;
  reply
    .type(file.type)
    .header('etag', etag)
    .header('accept-ranges', 'bytes')
    .header('content-disposition', contentDisposition('attachment', downloadName([await projectName], file.suffix)));
  if (request.owner) reply.header('cache-control', 'private, no-cache');
  if (noneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (request.method === 'HEAD') return reply.header('content-length', size).send(Readable.from([]));
  const range = isWhole ? undefined : rangeOf(request, { etag, size });
  const [from, to] = range ? [range.start, range.end + 1] : [0, size];
  const end = new AbortController();
  const signal = AbortSignal.any([request.clientGone, end.signal]);
  const read = { ownerId, projectId, archiveId, from, to, signal };
  const bytes = readArchive({ exports, openObject: context.openObject }, read);
  // Reads the first bytes before it sends headers, so that an error can still be sent as JSON.
  const first = await bytes.next().catch(error => {
    // The archive ended after it was opened; at a retry, the service makes a new one.
    if (isOver(error)) throw new DomainError('unavailable', error.message, { cause: error, retryAfterSec: 1 });
    throw error;
  });
  const stream = new ByteStream(withFirst(first, bytes));
  stream.once('close', () => end.abort());
  endWhenErased(stream, exports, read, error => {
    // Aborts the source first, because destroying a stream waits for its source.
    end.abort(error);
    stream.destroy(error);
  });
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
  return reply.header('content-length', to - from).send(stream);
}

interface Begun {
  etag: string;
  resume: boolean;
}

const PRESENT: Begun = { etag: '', resume: false };

/** Returns whether a request continues an earlier download: by that download's ETag, or without one (`resume`). */
function begunWith({ headers, method }: FastifyRequest): Begun {
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = headers as Record<string, string | undefined>;
  const requested = parseRange(range, Number.MAX_SAFE_INTEGER);
  if (method === 'HEAD' || requested === 'whole' || requested === 'unsatisfiable') return PRESENT;
  if (ifRange !== undefined) return { etag: ifRange.trim(), resume: false };
  // With If-None-Match, the client asks whether there is a newer version.
  return { etag: '', resume: requested.start > 0 && ifNoneMatch === undefined };
}

const REST = /^bytes=[ \t]*\d+-[ \t]*$/i;

/**
 * Returns whether a request asks for all bytes from an offset without an ETag that identifies the first bytes, as `curl
 * -C -` does.
 */
const isNamelessRest = (request: FastifyRequest): boolean =>
  begunWith(request).resume && REST.test(request.headers.range ?? '');

async function* withFirst(first: IteratorResult<Buffer>, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
