import type { CallContext } from '@recording-request/kit/grpc-server';
import {
  ExportFormat,
  type ExportRequest,
  type ExportResponse,
  OpenArchiveRequest,
} from '@recording-request/proto/exports/v1/exports';
import { zipArchive } from '../adapters/zip-archive.ts';
import {
  csvText,
  documentText,
  gathered,
  openTexts,
  startExport,
  type TextSource,
  transcriptsText,
} from '../workflows/export-project.ts';
import { checkTranscripts, transcriptFiles } from '../workflows/export-transcripts.ts';
import { archiveBytes } from '../workflows/locate-archive.ts';
import { type ArchiveContext, openArchive } from '../workflows/open-archive.ts';

export const exportProject = (context: ArchiveContext) =>
  async function* (request: ExportRequest, { signal }: CallContext): AsyncIterable<ExportResponse> {
    if (request.format === ExportFormat.EXPORT_FORMAT_ZIP) return yield* zip(context, request, signal);
    using _slot = startExport(context.exports, request.ownerId);
    if (request.format === ExportFormat.EXPORT_FORMAT_TRANSCRIPTS_ZIP) await checkTranscripts(request, context);
    const source = await openTexts(request, context, signal);
    // Thousands of clips may come before the first transcript: the caller need not wait for it to begin.
    if (request.format === ExportFormat.EXPORT_FORMAT_TRANSCRIPTS_ZIP) yield { chunk: Buffer.alloc(0) };
    for await (const chunk of gathered(contentOf(request.format, source, signal))) yield { chunk };
  };

/** As gateways of the version before ask for it. */
async function* zip(
  context: ArchiveContext,
  request: ExportRequest,
  signal: AbortSignal,
): AsyncIterable<ExportResponse> {
  const { ownerId, projectId } = request;
  const { id, size } = await openArchive(context, OpenArchiveRequest.fromPartial(request), signal);
  using _slot = startExport(context.exports, ownerId);
  const bytes = archiveBytes(context, { ownerId, projectId, id }, size, signal);
  for await (const chunk of gathered(bytes)) yield { chunk };
}

function contentOf(format: ExportFormat, source: TextSource, signal: AbortSignal): AsyncIterable<string | Buffer> {
  switch (format) {
    case ExportFormat.EXPORT_FORMAT_JSON:
      return documentText(source, new Date());
    case ExportFormat.EXPORT_FORMAT_CSV:
      return csvText(source);
    case ExportFormat.EXPORT_FORMAT_TRANSCRIPTS:
      return transcriptsText(source);
    case ExportFormat.EXPORT_FORMAT_TRANSCRIPTS_ZIP:
      return zipArchive(transcriptFiles(source), signal);
    default:
      throw new Error('an export without a format was asked for');
  }
}
