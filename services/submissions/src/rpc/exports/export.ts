import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import { ExportFormat, type ExportRequest, type ExportResponse } from '@recording-request/proto/exports/v1/exports';
import { zipArchive } from '../../adapters/zip-archive.ts';
import {
  csvText,
  documentText,
  gathered,
  openTexts,
  startExport,
  type TextSource,
  transcriptsText,
} from '../../workflows/exports/export-project.ts';
import { checkTranscripts, transcriptFiles } from '../../workflows/exports/export-transcripts.ts';
import type { ArchiveContext } from '../../workflows/exports/open-archive.ts';

export const exportProject = (context: ArchiveContext) =>
  async function* (request: ExportRequest, { signal }: CallContext): AsyncIterable<ExportResponse> {
    using _slot = startExport(context.exports, request.ownerId);
    const isZip = request.format === ExportFormat.EXPORT_FORMAT_TRANSCRIPTS_ZIP;
    if (isZip) await checkTranscripts(request, context);
    const source = await openTexts(request, context, signal, !isZip);
    // Thousands of clips may precede the first transcript, so an empty chunk tells the caller that the export has
    // started.
    if (isZip) yield { chunk: Buffer.alloc(0) };
    for await (const chunk of gathered(contentOf(request.format, source, signal))) yield { chunk };
  };

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
      throw new Error('the request names no export format');
  }
}
