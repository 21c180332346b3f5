import { LIMITS } from '@recording-request/contract/limits';
import {
  type CsvInput,
  CsvQuery,
  ExportCsvQuery,
  type ExportFilter,
  ExportJsonQuery,
  ExportQuery,
  ExportZipQuery,
  ProjectParams,
} from '@recording-request/contract/requests';
import { ExportDocument } from '@recording-request/contract/resources/export-document';
import { ref } from '@recording-request/contract/resources/fields';
import { ExportFormat } from '@recording-request/proto/exports/v1/exports';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { owner } from '../plugins/access-kinds.ts';
import { operation } from '../plugins/operation.ts';
import { sendArchive } from './archive.ts';
import { type ExportFile, type ExportOptions, streamExport } from './export-stream.ts';
import { MEDIA_ERRORS } from './media.ts';
import { filterOf } from './submissions.ts';

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
    format: ExportFormat.EXPORT_FORMAT_UNSPECIFIED,
    path: 'export/project.zip',
    type: 'application/zip',
    suffix: 'project.zip',
    id: 'Zip',
    summary: 'project.json, submissions.csv, transcripts.txt and the video files',
    description:
      'All its parts show the submissions that existed when it began. Supports single and suffix ranges (206, 416), ETag, If-None-Match (304), If-Range and HEAD. An interrupted download resumes with Range and If-Range, even while other clips land, until a day after its last byte. If a submission is erased meanwhile, or its video cannot be read, or the recipient, metadata or dueAt of its link changes, the connection breaks, and If-Range gets a whole archive (200); missing.txt lists the unreadable videos.',
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
  {
    format: ExportFormat.EXPORT_FORMAT_TRANSCRIPTS_ZIP,
    path: 'export/transcripts.zip',
    type: 'application/zip',
    suffix: 'transcripts.zip',
    id: 'TranscriptsZip',
    tag: 'extensions',
    summary: 'The transcripts of a project as separate text, WebVTT and SubRip files',
    description: `Has a .txt, a .vtt and a .srt for each clip with a completed transcript, named like its video in project.zip. Streamed, without ranges. 409 for more than ${LIMITS.transcriptsZipClips} such clips.`,
    filtered: true,
  },
];

const TOO_MANY =
  'Too many requests, or this token, its owner or all clients together read too many exports at once; Retry-After says how long to wait.';

const OUT_OF_RANGE: Record<number, string> = { 416: MEDIA_ERRORS[416] };
const TOO_LARGE: Record<number, string> = { 409: 'More clips have a transcript than one archive may hold.' };

/** The query schemas of the owner's exports, by format, where they differ from the schema of the other exports. */
const QUERIES: Partial<Record<ExportFormat, object>> = {
  [ExportFormat.EXPORT_FORMAT_JSON]: ExportJsonQuery,
  [ExportFormat.EXPORT_FORMAT_CSV]: ExportCsvQuery,
  [ExportFormat.EXPORT_FORMAT_UNSPECIFIED]: ExportZipQuery,
};
/** Returns the schema of the query names that the dashboard's exports also accept. */
export const bomQuery = ({ format }: ExportFile) =>
  format === ExportFormat.EXPORT_FORMAT_CSV ? { query: CsvQuery } : {};

const isZip = ({ format }: ExportFile): boolean => format === ExportFormat.EXPORT_FORMAT_UNSPECIFIED;
const isTranscripts = ({ format }: ExportFile): boolean => format === ExportFormat.EXPORT_FORMAT_TRANSCRIPTS_ZIP;

/** Returns the answers of an export, for openapi.json. */
export const exportAnswers = (file: ExportFile) => ({
  ...(file.format === ExportFormat.EXPORT_FORMAT_JSON
    ? { json: { 200: ref(ExportDocument) } }
    : { file: file.type.split(';')[0] as string }),
  also: { ...(isZip(file) ? OUT_OF_RANGE : {}), ...(isTranscripts(file) ? TOO_LARGE : {}), 429: TOO_MANY },
});

/** Sends an export. Sends project.zip with a length and with ranges. */
export const sendExport = (
  request: FastifyRequest,
  reply: FastifyReply,
  context: Context,
  file: ExportFile,
  options: ExportOptions,
) => {
  const { bom = 0 } = request.query as CsvInput;
  return (isZip(file) ? sendArchive : streamExport)(request, reply, context, file, { ...options, bom: bom === 1 });
};

export async function exportRoutes(app: FastifyInstance, context: Context): Promise<void> {
  for (const file of EXPORT_FILES) {
    app.get<{ Querystring: ExportFilter }>(
      `/api/projects/:projectId/${file.path}`,
      {
        config: owner('submissions:read'),
        schema: operation({
          id: `export${file.id}`,
          tag: file.tag ?? 'exports',
          summary: file.summary,
          ...(file.description && { description: file.description }),
          params: ProjectParams,
          query: QUERIES[file.format] ?? ExportQuery,
          ...exportAnswers(file),
        }),
      },
      (request, reply) =>
        sendExport(request, reply, context, file, {
          filter: file.filtered ? filterOf(request.query) : undefined,
          includeLinks: request.owner?.token.scopes.includes('links:read') ?? false,
          withoutPeople: request.query.identities === 'none',
          referenceNames: request.query.names === 'reference',
        }),
    );
  }
}
