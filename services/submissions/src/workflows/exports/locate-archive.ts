import { DomainError } from '@recording-request/kit/errors';
import type { Context } from '../../context.ts';
import { rangesOf } from '../../domain/clips/parts.ts';
import { currentVideo, partsOf } from '../../domain/clips/submission.ts';
import {
  archivePartsKey,
  directoryPiece,
  fileLength,
  type Piece,
  textPieces,
  videoAt,
  videoFile,
  videoPieces,
  videosAt,
} from '../../domain/exports/archive.ts';
import { isPrefix } from '../../domain/object-keys.ts';
import type { ReadyArchive } from '../../store/archives.ts';
import { canReadOn } from './export-plan.ts';
import { used } from './open-archive.ts';

type LocateContext = Pick<Context, 'archives' | 'config' | 'exportRows'>;
type ReadContext = LocateContext & Pick<Context, 'exportObjects'>;

export interface ArchiveKey {
  ownerId: string;
  projectId: string;
  id: string;
}

/** Returns the error of a download that must stop. */
const ended = (): DomainError =>
  new DomainError('gone', 'This archive is not there any more; ask for the export again.');

/**
 * Returns the places of an archive's bytes from `offset` on, in at most `count` pieces. The directory needs a separate
 * request, so that a complete download always passes a second check for erasures. Fails with `gone` when a clip of the
 * project was erased.
 */
export async function locateArchive(
  context: LocateContext,
  key: ArchiveKey,
  offset: number,
  count: number,
): Promise<Piece[]> {
  const { archives, exportRows } = context;
  const archive = await archives.find(key);
  if (!archive || !(await archives.isUnerased(archive))) throw ended();
  await used(context, archive);
  const pieces: Piece[] = [];
  if (count === 0) return pieces;
  for await (const whole of piecesFrom(archives, archive, offset))
    for await (const piece of inObjects(exportRows, key, whole)) {
      pieces.push(piece);
      if (pieces.length === count) return pieces;
    }
  return pieces;
}

/** Yields a piece, or the ranges of its parts. Fails with `gone` when the upload that the piece shows was removed. */
async function* inObjects(
  exportRows: Context['exportRows'],
  { ownerId, projectId }: ArchiveKey,
  piece: Piece,
): AsyncGenerator<Piece> {
  if ('content' in piece || !isPrefix(piece.key)) return yield piece;
  const [submission] = await exportRows.read(ownerId, projectId, [piece.submissionId!], 'video');
  if (submission?.source?.key !== piece.key) throw ended();
  yield* rangesOf(partsOf(submission.source), piece.offset, piece.length);
}

async function* piecesFrom(
  archives: Context['archives'],
  archive: ReadyArchive,
  offset: number,
): AsyncGenerator<Piece> {
  if (offset >= archive.size) return;
  if (offset >= archive.directoryAt) return yield directoryPiece(archive, offset);
  yield* textPieces(archive, offset);
  for (let at = Math.max(offset, videosAt(archive)); at < archive.directoryAt; ) {
    const page = await archives.pageAt(archive.id, at);
    if (!page) throw ended();
    yield* videoPieces(archive, page, offset);
    const lengths = page.videos.map((video, index) => fileLength(videoFile(video, page.number + index)));
    at = page.offset + lengths.reduce((sum, length) => sum + length, 0);
  }
}

/**
 * Checks the bytes at `offset` that a reader of an archive could not read. If they are unreadable or removed, ends the
 * archive, and records an unreadable video so that the next archive omits it. Fails when the store is down.
 */
export async function reportArchive(
  { archives, exportRows, exportObjects }: ReadContext,
  key: ArchiveKey,
  offset: number,
  signal: AbortSignal,
): Promise<void> {
  const archive = await archives.find(key);
  if (!archive) return;
  const { ownerId, projectId, id } = key;
  const checkParts = async () => {
    const parts = { key: archivePartsKey(archive), size: 1 };
    if (!(await canReadOn(exportObjects, parts, 0, signal))) await archives.endOne(key);
  };
  const isVideo = offset >= videosAt(archive) && offset < archive.directoryAt;
  if (!isVideo) return await checkParts();
  const page = await archives.pageAt(id, offset);
  const found = page && videoAt(page, offset);
  if (!found) return await archives.endOne(key);
  // Before the video, the reader reads only the stored name from the archive's object, so check this object.
  if (found.offset < 0) return await checkParts();
  const { submissionId, key: objectKey } = found.video;
  const [now] = await exportRows.read(ownerId, projectId, [submissionId], 'video');
  const video = now && currentVideo(now);
  if (video?.key === objectKey) {
    if (await canReadOn(exportObjects, video, found.offset, signal)) return;
    await exportRows.noteUnreadable(projectId, submissionId, { key: objectKey, offset: found.offset });
  }
  await archives.endOne(key);
}
