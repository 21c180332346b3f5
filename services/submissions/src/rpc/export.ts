import { DomainError } from '@recording-request/kit/errors';
import type { CallContext } from '@recording-request/kit/grpc-server';
import { ExportFormat, type ExportRequest, type ExportResponse } from '@recording-request/proto/exports/v1/exports';
import type { Context } from '../context.ts';
import {
  csvText,
  documentText,
  type ExportContext,
  type ExportSource,
  openExport,
  transcriptsText,
} from '../workflows/export-project.ts';
import { zipOf } from '../workflows/export-zip.ts';

// Small messages cost more than their bytes, and several wait for each slow reader.
const CHUNK_BYTES = 128 * 1024;

const RETRY_AFTER_SECONDS = 10;

export const exportProject = (context: ExportContext & Pick<Context, 'exports'>) =>
  async function* (request: ExportRequest, { signal }: CallContext): AsyncIterable<ExportResponse> {
    const end = startExport(context.exports, request.ownerId);
    try {
      const source = await openExport(request, context, signal);
      for await (const chunk of gathered(contentOf(request.format, source, context, signal))) yield { chunk };
    } finally {
      end();
    }
  };

function startExport(exports: Context['exports'], ownerId: string): () => void {
  const end = exports.tryStart(ownerId);
  if (end) return end;
  const sentence = `Too many exports are being read; let one end, or wait ${RETRY_AFTER_SECONDS} s before the next one.`;
  throw new DomainError('too_many', sentence, { retryAfterSec: RETRY_AFTER_SECONDS });
}

function contentOf(
  format: ExportFormat,
  source: ExportSource,
  { exportObjects }: ExportContext,
  signal: AbortSignal,
): AsyncIterable<string | Buffer> {
  switch (format) {
    case ExportFormat.EXPORT_FORMAT_JSON:
      return documentText(source, new Date());
    case ExportFormat.EXPORT_FORMAT_CSV:
      return csvText(source);
    case ExportFormat.EXPORT_FORMAT_TRANSCRIPTS:
      return transcriptsText(source);
    case ExportFormat.EXPORT_FORMAT_ZIP:
      return zipOf(source, exportObjects, signal);
    default:
      throw new Error('an export without a format was asked for');
  }
}

async function* gathered(pieces: AsyncIterable<string | Buffer>): AsyncIterable<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    const buffer = typeof piece === 'string' ? Buffer.from(piece) : piece;
    held.push(buffer);
    bytes += buffer.length;
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(held);
}
