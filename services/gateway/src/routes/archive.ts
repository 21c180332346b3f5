import { Readable } from 'node:stream';
import { isUnimplemented } from '@recording-request/kit/grpc-client';
import type { OpenArchiveResponse } from '@recording-request/proto/exports/v1/exports';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { endWhenErased, readArchive } from '../adapters/archive-reader.ts';
import type { Context } from '../context.ts';
import { noneMatch } from '../domain/byte-range.ts';
import { contentDisposition } from '../domain/content-disposition.ts';
import { ByteStream } from '../plugins/byte-stream.ts';
import { projectOf } from '../plugins/caller.ts';
import { type ExportFile, type ExportOptions, streamExport } from './export-stream.ts';
import { rangeOf } from './media.ts';

// Longer than the service makes a caller wait for an archive.
const OPEN_MS = 60_000;

/**
 * Sends project.zip, or the part of it that Range asks for, at the client's pace. A download that was cut goes on in the
 * same archive while that is kept, whatever lands meanwhile. Throws `too_many` where as many exports are being read as may
 * be at once.
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
  let archive: OpenArchiveResponse;
  if (request.method !== 'HEAD') context.streams.exports(request, reply);
  try {
    archive = await exports.openArchive(
      { ownerId, projectId, filter: options.filter, includeLinks: options.includeLinks, ...begunWith(request) },
      { deadlineMs: OPEN_MS },
    );
  } catch (error) {
    // A submissions service of the version before: the whole, without a length.
    if (isUnimplemented(error)) return await streamExport(request, reply, context, file, options);
    throw error;
  }
  const { archiveId, etag, size } = archive;
  reply
    .type(file.type)
    .header('etag', etag)
    .header('accept-ranges', 'bytes')
    .header('content-disposition', contentDisposition('attachment', `${projectId}-${file.suffix}`));
  if (request.owner) reply.header('cache-control', 'private, no-cache');
  if (noneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (request.method === 'HEAD') return reply.header('content-length', size).send(Readable.from([]));
  const range = rangeOf(request, { etag, size });
  const [from, to] = range ? [range.start, range.end + 1] : [0, size];
  const end = new AbortController();
  const signal = AbortSignal.any([request.clientGone, end.signal]);
  const read = { ownerId, projectId, archiveId, from, to, signal };
  const bytes = readArchive({ exports, openObject: context.openObject }, read);
  // The first bytes before the headers: what is wrong is still an error in JSON.
  const first = await bytes.next();
  const stream = new ByteStream(withFirst(first, bytes));
  stream.once('close', () => end.abort());
  endWhenErased(stream, exports, read, error => {
    // First what it waits for: a stream that is destroyed waits for its source.
    end.abort(error);
    stream.destroy(error);
  });
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
  return reply.header('content-length', to - from).send(stream);
}

const FROM_THE_START = /^bytes=[ \t]*0+-/i;

/** What a request for a range says of the download that it continues. */
function begunWith({ headers, method }: FastifyRequest): { etag: string; resume: boolean } {
  const { range, 'if-range': ifRange } = headers as Record<string, string | undefined>;
  if (range === undefined || method === 'HEAD') return { etag: '', resume: false };
  return { etag: ifRange?.trim() ?? '', resume: ifRange === undefined && !FROM_THE_START.test(range) };
}

async function* withFirst(first: IteratorResult<Buffer>, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
