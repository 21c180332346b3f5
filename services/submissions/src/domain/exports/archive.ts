import { archivePrefix } from '../object-keys.ts';
import { localHeader, localHeaderLength, type ZipFile } from './zip-layout.ts';

/** A video in a project's archive, and where its bytes are stored. */
export interface ArchivedVideo {
  submissionId: string;
  createdAt: Date;
  /** Of its object; the prefix of its parts where it is an upload. */
  key: string;
  /** In bytes. */
  size: number;
  crc32: number;
  /** Of its name, without a dot. */
  extension: string;
}

/** The plan of a project.zip: with it every byte of the archive can be found, at any time, without reading what is before. */
export interface Archive {
  id: string;
  projectId: string;
  /** Names its bytes, in quotes. */
  etag: string;
  /** Of the whole, in bytes. */
  size: number;
  /** Base64url. What the archive keeps of its texts is enciphered with it: links and what people said stand there. */
  cipherKey: string;
  /** The texts, which come first. Their bytes are in one object, one after the other; the directory follows them there. */
  texts: ZipFile[];
  /** Where the directory begins, which comes last. */
  directoryAt: number;
  /** What was erased of the project since then is not in it... */
  erasedSince: Date;
  /** ...as long as there are only so many tombstones since. */
  erasedCount: number;
}

/** Consecutive videos of an archive, from the one with `number`, which begins at `offset`. */
export interface ArchivePage {
  offset: number;
  number: number;
  videos: ArchivedVideo[];
}

/** Consecutive bytes of an archive: these, or those of an object. */
export type Piece = { content: Buffer } | StoredPiece;

export interface StoredPiece {
  key: string;
  offset: number;
  length: number;
  /** As the archive's, where the object is enciphered. */
  cipherKey?: string;
  /** Of a video, whose `key` may be the prefix of its parts. */
  submissionId?: string;
}

/** The object that holds what an archive has beside the videos. */
export const archivePartsKey = ({ projectId, id }: Pick<Archive, 'projectId' | 'id'>): string =>
  `${archivePrefix(projectId, id)}parts`;

/** The name of a clip's file in an archive; `number` counts the clips of the archive from 1. */
export const clipFileName = (number: number, submissionId: string, extension: string): string =>
  `${String(number).padStart(4, '0')}-${submissionId}.${extension}`;

export const videoFile = (video: ArchivedVideo, number: number): ZipFile => ({
  name: `videos/${clipFileName(number, video.submissionId, video.extension)}`,
  date: video.createdAt,
  size: video.size,
  crc32: video.crc32,
});

/** How many bytes a file takes, its header included. */
export const fileLength = (file: ZipFile): number => localHeaderLength(file) + file.size;

const sizeOf = (files: ZipFile[]): number => files.reduce((sum, { size }) => sum + size, 0);

/** Where the videos begin. */
export const videosAt = ({ texts }: Pick<Archive, 'texts'>): number =>
  texts.reduce((sum, text) => sum + fileLength(text), 0);

/** The texts from `offset` of the archive on. */
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

/** The videos of a page from `offset` of the archive on. */
export function* videoPieces(page: ArchivePage, offset: number): Generator<Piece> {
  let at = page.offset;
  for (const [index, video] of page.videos.entries()) {
    const file = videoFile(video, page.number + index);
    yield* filePieces(file, { key: video.key, offset: 0, submissionId: video.submissionId }, offset - at);
    at += fileLength(file);
  }
}

/** The directory from `offset` of the archive on. */
export function directoryPiece(archive: Archive, offset: number): Piece {
  const skip = offset - archive.directoryAt;
  const length = archive.size - offset;
  const { cipherKey } = archive;
  return { key: archivePartsKey(archive), offset: sizeOf(archive.texts) + skip, length, cipherKey };
}

/** The video of a page whose bytes stand at `offset` of the archive, and the offset in it. */
export function videoAt(page: ArchivePage, offset: number): { video: ArchivedVideo; offset: number } | undefined {
  let at = page.offset;
  for (const [index, video] of page.videos.entries()) {
    const file = videoFile(video, page.number + index);
    const inVideo = offset - at - localHeaderLength(file);
    at += fileLength(file);
    if (offset < at) return { video, offset: Math.max(0, inVideo) };
  }
  return undefined;
}

/** A file without its first `skip` bytes; a `skip` below 0 is none, one beyond its end leaves nothing. */
function* filePieces(file: ZipFile, stored: Omit<StoredPiece, 'length'>, skip: number): Generator<Piece> {
  const headerLength = localHeaderLength(file);
  if (skip < headerLength) yield { content: localHeader(file).subarray(Math.max(0, skip)) };
  const read = Math.max(0, skip - headerLength);
  const length = file.size - read;
  if (length > 0) yield { ...stored, offset: stored.offset + read, length };
}
