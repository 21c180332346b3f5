import { Readable } from 'node:stream';
import { downloadName } from '@recording-request/contract/download-name';
import { bounded, OutOfTimeError } from '@recording-request/kit/bounds';
import { DomainError } from '@recording-request/kit/errors';
import type { ExportFormat, ExportResponse } from '@recording-request/proto/exports/v1/exports';
import type { SubmissionFilter } from '@recording-request/proto/submissions/v1/submissions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { contentDisposition } from '../domain/content-disposition.ts';
import { projectOf } from '../plugins/caller.ts';
import { knownName } from './submissions.ts';

export interface ExportFile {
  /** Unspecified for project.zip, which archive.ts sends. */
  format: ExportFormat;
  /** The last segment of its path. */
  path: string;
  type: string;
  suffix: string;
  id: string;
  /** `extensions` for a file outside the contract. */
  tag?: 'extensions';
  summary: string;
  description?: string;
  filtered: boolean;
}

export interface ExportOptions {
  filter?: SubmissionFilter | undefined;
  includeLinks: boolean;
  /** True if the export omits the people and the metadata of links. */
  withoutPeople?: boolean;
  /** True if the names of video files begin with the reference of the person. */
  referenceNames?: boolean;
  /** True if the file begins with a byte order mark. */
  bom?: boolean;
}

const BOM = Buffer.from('\ufeff');
const CHUNKS_AHEAD = 2;
// Far longer than the service takes for a page of clips.
const FIRST_MS = 20_000;

/**
 * Streams an export at the client's pace. Waits for the first chunk before it sends headers, so that an error can still
 * be sent as JSON; a later error breaks the connection. When the client disconnects, cancels the export in the service.
 * Throws `too_many` at the limit of concurrent exports, and `unavailable` when no chunk comes.
 */
export async function streamExport(
  request: FastifyRequest,
  reply: FastifyReply,
  context: Context,
  file: ExportFile,
  options: ExportOptions,
) {
  const { ownerId, projectId } = projectOf(request);
  const { services, streams } = context;
  const projectName = knownName(context, { ownerId, projectId });
  let content: AsyncIterable<Buffer> | [] = [];
  if (request.method === 'HEAD') {
    await services.projects.getProject({ ownerId, projectId, nameOnly: true });
  } else {
    streams.exports(request, reply);
    const { filter, includeLinks, withoutPeople } = options;
    const end = new AbortController();
    const messages = services.exports
      .export({ ownerId, projectId, format: file.format, filter, includeLinks, withoutPeople }, { signal: end.signal })
      [Symbol.asyncIterator]();
    const first = await bounded(messages.next(), FIRST_MS, 'the beginning of an export').catch(error => {
      if (!(error instanceof OutOfTimeError)) throw error;
      end.abort();
      throw new DomainError('unavailable', 'The export could not be begun; try again in a moment.', { cause: error });
    });
    content = chunksOf(first, messages, options.bom ? [BOM] : []);
  }
  return reply
    .type(file.type)
    .header('content-disposition', contentDisposition('attachment', downloadName([await projectName], file.suffix)))
    .send(Readable.from(content, { objectMode: true, highWaterMark: CHUNKS_AHEAD }));
}

async function* chunksOf(
  first: IteratorResult<ExportResponse>,
  rest: AsyncIterator<ExportResponse>,
  before: Buffer[],
): AsyncGenerator<Buffer> {
  try {
    yield* before;
    for (let message = first; !message.done; message = await rest.next()) {
      if (message.value.chunk.length > 0) yield message.value.chunk;
    }
  } finally {
    await rest.return?.();
  }
}
