import { Readable } from 'node:stream';
import { type ExportFilter, ExportQuery, ProjectParams } from '@recording-request/contract/requests';
import { ExportDocument } from '@recording-request/contract/resources/export-document';
import { ref } from '@recording-request/contract/resources/fields';
import { ExportFormat, type ExportResponse } from '@recording-request/proto/exports/v1/exports';
import type { SubmissionFilter } from '@recording-request/proto/submissions/v1/submissions';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { contentDisposition } from '../domain/content-disposition.ts';
import { owner } from '../plugins/access-kinds.ts';
import { projectOf } from '../plugins/caller.ts';
import { operation } from '../plugins/operation.ts';
import { filterOf } from './submissions.ts';

export interface ExportFile {
  format: ExportFormat;
  /** The last part of its path. */
  path: string;
  type: string;
  suffix: string;
  id: string;
  summary: string;
  description?: string;
  filtered: boolean;
}

export const EXPORT_FILES: ExportFile[] = [
  {
    format: ExportFormat.EXPORT_FORMAT_JSON,
    path: 'export.json',
    type: 'application/json; charset=utf-8',
    suffix: 'export.json',
    id: 'Json',
    summary: 'Everything of a project as one JSON document',
    filtered: false,
  },
  {
    format: ExportFormat.EXPORT_FORMAT_CSV,
    path: 'export.csv',
    type: 'text/csv; charset=utf-8',
    suffix: 'submissions.csv',
    id: 'Csv',
    summary: 'The submissions of a project as one flat table',
    filtered: false,
  },
  {
    format: ExportFormat.EXPORT_FORMAT_ZIP,
    path: 'export/project.zip',
    type: 'application/zip',
    suffix: 'project.zip',
    id: 'Zip',
    summary: 'project.json, submissions.csv, transcripts.txt and the video files',
    description:
      'Shows in all its parts the submissions that were there when it began. Where one is erased meanwhile, or its video cannot be read, the connection breaks; the next answer is whole without it, and names in missing.txt what could not be read.',
    filtered: true,
  },
  {
    format: ExportFormat.EXPORT_FORMAT_TRANSCRIPTS,
    path: 'export/transcripts.txt',
    type: 'text/plain; charset=utf-8',
    suffix: 'transcripts.txt',
    id: 'Transcripts',
    summary: 'The transcripts of a project as one text',
    filtered: true,
  },
];

const CHUNKS_AHEAD = 2;

const TOO_MANY =
  'Too many requests, or as many exports are being read as one token, one owner or all may read at once; Retry-After says how long to wait.';

/** The answers of an export, for openapi.json. */
export const exportAnswers = (file: ExportFile) => ({
  ...(file.format === ExportFormat.EXPORT_FORMAT_JSON
    ? { json: { 200: ref(ExportDocument) } }
    : { file: file.type.split(';')[0] as string }),
  also: { 429: TOO_MANY },
});

/**
 * Streams an export at the client's pace. The first chunk comes before the headers, so that what is wrong is still an
 * error in JSON; what breaks later breaks the connection. A client that goes away cancels the work behind it. Throws
 * `too_many` where as many are being read as may be at once.
 */
export async function sendExport(
  request: FastifyRequest,
  reply: FastifyReply,
  { services, streams }: Context,
  file: ExportFile,
  options: { filter?: SubmissionFilter; includeLinks: boolean },
) {
  const { ownerId, projectId } = projectOf(request);
  let content: AsyncIterable<Buffer> | [] = [];
  if (request.method === 'HEAD') {
    await services.projects.getProject({ ownerId, projectId, nameOnly: true });
  } else {
    streams.exports(request, reply);
    const { filter, includeLinks } = options;
    const messages = services.exports
      .export({ ownerId, projectId, format: file.format, filter, includeLinks })
      [Symbol.asyncIterator]();
    content = chunksOf(await messages.next(), messages);
  }
  return reply
    .type(file.type)
    .header('content-disposition', contentDisposition('attachment', `${projectId}-${file.suffix}`))
    .send(Readable.from(content, { objectMode: true, highWaterMark: CHUNKS_AHEAD }));
}

async function* chunksOf(
  first: IteratorResult<ExportResponse>,
  rest: AsyncIterator<ExportResponse>,
): AsyncGenerator<Buffer> {
  try {
    for (let message = first; !message.done; message = await rest.next()) {
      if (message.value.chunk.length > 0) yield message.value.chunk;
    }
  } finally {
    await rest.return?.();
  }
}

export async function exportRoutes(app: FastifyInstance, context: Context): Promise<void> {
  for (const file of EXPORT_FILES) {
    app.get<{ Querystring: ExportFilter }>(
      `/api/projects/:projectId/${file.path}`,
      {
        config: owner('submissions:read'),
        schema: operation({
          id: `export${file.id}`,
          tag: 'exports',
          summary: file.summary,
          ...(file.description && { description: file.description }),
          params: ProjectParams,
          ...(file.filtered && { query: ExportQuery }),
          ...exportAnswers(file),
        }),
      },
      (request, reply) =>
        sendExport(request, reply, context, file, {
          filter: file.filtered ? filterOf(request.query) : undefined,
          includeLinks: request.owner?.token.scopes.includes('links:read') ?? false,
        }),
    );
  }
}
