import { archivePrefix } from '../object-keys.ts';
import { localHeader, localHeaderLength, NAME_AT, type ZipFile } from './zip-layout.ts';

/** A video in a project's archive, and the place of its bytes in the store. */
export interface ArchivedVideo {
  submissionId: string;
  createdAt: Date;
  /** The object's key; for an upload, the common prefix of its parts. */
  key: string;
  /** In bytes. */
  size: number;
  crc32: number;
  /** The extension of the file name, without the dot. */
  extension: string;
  /**
   * The place of a file name that contains a person's reference: a range of the directory in the archive's encrypted
   * object. The database never stores such a name.
   */
  name?: { offset: number; length: number } | undefined;
}

/** The plan of a project.zip. It locates every byte of the archive without a read of the bytes before it. */
export interface Archive {
  id: string;
  projectId: string;
  /** The ETag of the archive, in quotes. */
  etag: string;
  /** The size of the whole archive, in bytes. */
  size: number;
  /** The key that encrypts the stored texts, because they contain links and transcripts. Base64url. */
  cipherKey: string;
  /**
   * The text files, which are at the start of the archive. One object contains their bytes one after the other, and
   * then the directory.
   */
  texts: ZipFile[];
  /** The offset of the directory, which is at the end of the archive. */
  directoryAt: number;
  /** Together with `erasedCount`, shows whether clips of the project were erased since this time. */
  erasedSince: Date;
  /**
   * The number of tombstones since `erasedSince`. A higher number later means that the archive contains erased data.
   */
  erasedCount: number;
}

/** Consecutive videos of an archive. `number` is the number of the first video, which begins at `offset`. */
export interface ArchivePage {
  offset: number;
  number: number;
  videos: ArchivedVideo[];
}

/** Consecutive bytes of an archive: the bytes themselves, or a range of an object. */
export type Piece = { content: Buffer } | StoredPiece;

export interface StoredPiece {
  key: string;
  offset: number;
  length: number;
  /** The archive's key; present when the object is encrypted. */
  cipherKey?: string;
  /** The submission of a video. Its `key` may be the common prefix of its parts. */
  submissionId?: string;
}

/** Returns the key of the object that contains the texts and the directory of an archive. */
export const archivePartsKey = ({ projectId, id }: Pick<Archive, 'projectId' | 'id'>): string =>
  `${archivePrefix(projectId, id)}parts`;

/** Returns the name of a clip's file in an archive; `number` counts the clips of the archive from 1. */
export const clipFileName = (number: number, submissionId: string, extension: string): string =>
  `${String(number).padStart(4, '0')}-${submissionId}.${extension}`;

/** Returns the file of a video. Its name is blank if only the archive's object stores the name. */
export const videoFile = (video: ArchivedVideo, number: number): ZipFile => ({
  ...(video.name
    ? { name: ' '.repeat(video.name.length), isUtf8: true }
    : { name: `videos/${clipFileName(number, video.submissionId, video.extension)}` }),
  date: video.createdAt,
  size: video.size,
  crc32: video.crc32,
});

/** Returns the number of bytes of a file including its header. */
export const fileLength = (file: ZipFile): number => localHeaderLength(file) + file.size;

const sizeOf = (files: ZipFile[]): number => files.reduce((sum, { size }) => sum + size, 0);

/** Returns the offset of the first video. */
export const videosAt = ({ texts }: Pick<Archive, 'texts'>): number =>
  texts.reduce((sum, text) => sum + fileLength(text), 0);

/** Yields the pieces of the texts, beginning at the archive's byte `offset`. */
export function* textPieces(archive: Archive, offset: number): Generator<Piece> {
  const key = archivePartsKey(archive);
  let at = 0;
  let inObject = 0;
  for (const text of archive.texts) {
    yield* filePieces(text, { key, offset: inObject, cipherKey: archive.cipherKey }, offset - at);
    at += fileLength(text);
    inObject += text.size;
  }
}

/** Yields the pieces of a page's videos, beginning at the archive's byte `offset`. */
export function* videoPieces(archive: Archive, page: ArchivePage, offset: number): Generator<Piece> {
  const { cipherKey } = archive;
  let at = page.offset;
  for (const [index, video] of page.videos.entries()) {
    const file = videoFile(video, page.number + index);
    const stored = { key: video.key, offset: 0, submissionId: video.submissionId };
    const name = video.name && { key: archivePartsKey(archive), cipherKey, ...video.name };
    yield* filePieces(file, stored, offset - at, name);
    at += fileLength(file);
  }
}

/** Returns the rest of the directory, beginning at the archive's byte `offset`. */
export function directoryPiece(archive: Archive, offset: number): Piece {
  const skip = offset - archive.directoryAt;
  const length = archive.size - offset;
  const { cipherKey } = archive;
  return { key: archivePartsKey(archive), offset: sizeOf(archive.texts) + skip, length, cipherKey };
}

/**
 * Returns the video of a page that contains the archive's byte at `offset`, and that byte's offset in the video. The
 * offset is negative if the byte is in the header before the video.
 */
export function videoAt(page: ArchivePage, offset: number): { video: ArchivedVideo; offset: number } | undefined {
  let at = page.offset;
  for (const [index, video] of page.videos.entries()) {
    const file = videoFile(video, page.number + index);
    const inVideo = offset - at - localHeaderLength(file);
    at += fileLength(file);
    if (offset < at) return { video, offset: inVideo };
  }
  return undefined;
}

/**
 * Yields a file without its first `skip` bytes: the whole file when `skip` is below 0, nothing when it is beyond the
 * end. `name` is the place of a stored name.
 */
function* filePieces(
  file: ZipFile,
  stored: Omit<StoredPiece, 'length'>,
  skip: number,
  name?: StoredPiece,
): Generator<Piece> {
  const header = localHeader(file);
  const [from, to] = name ? [NAME_AT.header, NAME_AT.header + name.length] : [header.length, header.length];
  const pieces: Piece[] = [
    { content: header.subarray(0, from) },
    ...(name ? [name] : []),
    { content: header.subarray(to) },
    { ...stored, length: file.size },
  ];
  let at = 0;
  for (const piece of pieces) {
    const length = 'content' in piece ? piece.content.length : piece.length;
    const read = Math.max(0, skip - at);
    at += length;
    if (read >= length) continue;
    if ('content' in piece) yield { content: piece.content.subarray(read) };
    else yield { ...piece, offset: piece.offset + read, length: length - read };
  }
}
