import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { downloadName } from '@recording-request/contract/download-name';
import { seekableCipher } from '@recording-request/kit/seekable-cipher';
import type { Context } from '../../context.ts';
import { extensionOf } from '../../domain/clips/media-types.ts';
import { currentVideo, type Submission } from '../../domain/clips/submission.ts';
import {
  type ArchivedVideo,
  type ArchivePage,
  archivePartsKey,
  clipFileName,
  fileLength,
  videoFile,
} from '../../domain/exports/archive.ts';
import { directoryRecord, endRecords, localHeader, NAME_AT, type ZipFile } from '../../domain/exports/zip-layout.ts';
import { BUILD_LIMIT_MS } from '../../memory/archive-builds.ts';
import type { ArchiveScope, ReadyArchive } from '../../store/archives.ts';
import type { ExportedClip } from './export-people.ts';
import { erasedMeanwhile } from './export-plan.ts';
import { csvText, documentText, type ExportSource, gathered, transcriptsText } from './export-project.ts';

type BuildContext = Pick<Context, 'archives' | 'config' | 'exportObjects'>;

/** The record of an archive before the archive is made. */
export type ArchiveDraft = ArchiveScope &
  Pick<
    ReadyArchive,
    'id' | 'projectId' | 'fingerprint' | 'cipherKey' | 'frame' | 'changedAt' | 'erasedSince' | 'erasedCount'
  >;

// Some programs that unpack archives refuse longer names.
const NAME_BYTES = 100;
// Small, because a request for a single byte reads a whole page.
const VIDEOS_ON_PAGE = 100;
/**
 * This many archives are kept per project, for all tokens, filters and states together, in addition to the archives
 * that are being read.
 */
const ARCHIVES_KEPT = 10;

/**
 * Makes an archive: stores its texts and its directory, and records the place of each video. Does not read any video.
 * Fails if a clip was erased during the build.
 */
export async function buildArchive(
  context: BuildContext,
  draft: ArchiveDraft,
  source: ExportSource,
  signal: AbortSignal,
): Promise<ReadyArchive> {
  const { archives, config, exportObjects } = context;
  const { id, projectId, fingerprint, cipherKey, erasedSince, erasedCount } = draft;
  const idleMs = config.exportResumeSeconds * 1_000;
  await archives.begin(draft, source.plan.hasSources, BUILD_LIMIT_MS);
  try {
    const layout = createLayout();
    const pieces = gathered(contentsOf(context, draft, source, layout, signal));
    const parts = Readable.from(enciphered(pieces, Buffer.from(cipherKey, 'base64url')));
    const key = archivePartsKey(draft);
    await exportObjects.put(key, parts, { contentType: 'application/octet-stream', signal });
    const made = layout.finished();
    const archive = { id, projectId, fingerprint, cipherKey, erasedSince, erasedCount, ...made };
    if (!(await archives.ready({ id, projectId }, made, idleMs))) throw erasedMeanwhile();
    if (!(await archives.isUnerased(archive))) throw erasedMeanwhile();
    await archives.endUnread(projectId, ARCHIVES_KEPT, idleMs);
    return archive;
  } catch (error) {
    await archives.endOne({ id, projectId }).catch(() => {});
    throw error;
  }
}

async function* enciphered(pieces: AsyncIterable<Buffer>, key: Buffer): AsyncGenerator<Buffer> {
  const encipher = seekableCipher(key, 0);
  for await (const piece of pieces) yield encipher(piece);
}

/** Tracks the layout of an archive while the archive is made. */
function createLayout() {
  const hash = createHash('sha256');
  const texts: ZipFile[] = [];
  let count = 0;
  let offset = 0;
  let directorySize = 0;
  return {
    hash,
    texts,
    get offset() {
      return offset;
    },
    /** The offset of the next file's name in the archive object. The object stores the texts before the directory. */
    get nameAt() {
      return texts.reduce((sum, { size }) => sum + size, 0) + directorySize + NAME_AT.record;
    },
    /** Adds the next file. Returns its directory record. */
    add(file: ZipFile): Buffer {
      const record = directoryRecord(file, offset);
      count += 1;
      offset += fileLength(file);
      directorySize += record.length;
      return record;
    },
    end: () => endRecords(count, directorySize, offset),
    finished() {
      const end = endRecords(count, directorySize, offset);
      const etag = `"${hash.digest('base64url')}"`;
      return { etag, size: offset + directorySize + end.length, texts, directoryAt: offset };
    },
  };
}

type Layout = ReturnType<typeof createLayout>;

/** Yields the texts, then the directory. */
async function* contentsOf(
  context: BuildContext,
  draft: ArchiveDraft,
  source: ExportSource,
  layout: Layout,
  signal: AbortSignal,
): AsyncGenerator<string | Buffer> {
  const date = source.changedAt;
  const records: Buffer[] = [];
  for (const [name, pieces] of textsOf(source)) {
    const text: ZipFile = { name, date, size: 0, crc32: 0 };
    for await (const piece of gathered(pieces)) {
      signal.throwIfAborted();
      text.size += piece.length;
      text.crc32 = crc32(piece, text.crc32);
      layout.hash.update(piece);
      yield piece;
    }
    layout.texts.push(text);
    layout.hash.update(localHeader(text));
    records.push(layout.add(text));
  }
  yield* records;
  yield* directoryOf(context, draft, source, layout, signal);
}

function* textsOf(source: ExportSource): Generator<[name: string, pieces: AsyncIterable<string>]> {
  const { missing } = source.plan;
  yield ['project.json', documentText(source, source.changedAt)];
  yield ['submissions.csv', csvText(source)];
  yield ['transcripts.txt', transcriptsText(source)];
  if (missing.length > 0) yield ['missing.txt', missingText(missing)];
}

async function* missingText(ids: string[]): AsyncGenerator<string> {
  yield 'These submissions are not in this archive, because the store does not return their videos:\n\n';
  for (const id of ids) yield `${id}\n`;
}

/** Yields the directory records of the videos and the end of the directory. Stores the videos page by page. */
async function* directoryOf(
  context: BuildContext,
  { id }: ArchiveDraft,
  source: ExportSource,
  layout: Layout,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let page: ArchivePage = { offset: layout.offset, number: 1, videos: [] };
  for await (const submission of source.videos()) {
    signal.throwIfAborted();
    const { video, sha256 } = archivedVideo(submission);
    const number = page.number + page.videos.length;
    const name = referenceName(submission, clipFileName(number, video.submissionId, video.extension));
    if (name) video.name = { offset: layout.nameAt, length: Buffer.byteLength(name) };
    const file = { ...videoFile(video, number), ...(name && { name }) };
    layout.hash.update(localHeader(file)).update(sha256);
    page.videos.push(video);
    yield layout.add(file);
    if (page.videos.length < VIDEOS_ON_PAGE) continue;
    await context.archives.addPage(id, page);
    page = { offset: layout.offset, number: page.number + page.videos.length, videos: [] };
  }
  if (page.videos.length > 0) await context.archives.addPage(id, page);
  yield layout.end();
}

/** Returns the name of a video's file that begins with the person's reference; undefined without one. */
function referenceName({ invitation }: ExportedClip, fileName: string): string | undefined {
  const name = downloadName([invitation?.person?.reference ?? ''], fileName, NAME_BYTES - '_'.length);
  return name === fileName ? undefined : `videos/${name}`;
}

function archivedVideo(submission: Submission): { video: ArchivedVideo; sha256: string } {
  const { id: submissionId, createdAt } = submission;
  const stored = currentVideo(submission);
  if (!stored) throw new Error(`submission ${submissionId} has no video`);
  const { key, size, mimeType, sha256, crc32 } = stored;
  return { video: { submissionId, createdAt, key, size, crc32, extension: extensionOf(mimeType) }, sha256 };
}
