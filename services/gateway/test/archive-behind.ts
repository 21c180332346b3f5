import type { RequestListener } from 'node:http';
import { DomainError } from '@recording-request/kit/errors';
import { newCipherKey, seekableCipher } from '@recording-request/kit/seekable-cipher';
import type { ArchivePiece } from '@recording-request/proto/exports/v1/exports';
import { CONTENT, type FakeStore, serve } from './fake-store.ts';
import type { TestGateway } from './test-service.ts';

const HEADER = Buffer.from('a header of its own, ');
/** The size of the header before each object. */
export const ZIP_HEADER_BYTES = HEADER.length;
const DIRECTORY = CONTENT.subarray(0, 90);
export const ZIP = Buffer.concat([HEADER, CONTENT, HEADER, CONTENT.subarray(5), DIRECTORY]);
export const ZIP_ETAG = '"zip"';
const CIPHER_KEY = newCipherKey();
const SEALED = seekableCipher(CIPHER_KEY, 0)(CONTENT);

/** Answers like the fake store; also serves sealed content. */
export const serveContent: RequestListener = (request, response) =>
  serve(request.url?.startsWith('/sealed') ? SEALED : CONTENT, request, response);

/**
 * Adds a submissions service with an archive: a header and an object twice, then a directory. Returns the list of the
 * calls that it gets.
 */
export function archiveBehind(of: TestGateway, store: FakeStore, etag = ZIP_ETAG) {
  const requested = {
    opened: [] as { etag: string; resume: boolean }[],
    located: 0,
    reported: [] as number[],
    isErased: false,
    mayDiffer: false,
  };
  const pieces: [at: number, content: Buffer | undefined, offset: number, length: number][] = [
    [0, HEADER, 0, HEADER.length],
    [HEADER.length, undefined, 0, CONTENT.length],
    [HEADER.length + CONTENT.length, HEADER, 0, HEADER.length],
    [2 * HEADER.length + CONTENT.length, undefined, 5, CONTENT.length - 5],
    [ZIP.length - DIRECTORY.length, undefined, 0, DIRECTORY.length],
  ];
  const locate = (from: number): ArchivePiece[] =>
    pieces
      .filter(([at, , , length]) => at + length > from && (at < ZIP.length - DIRECTORY.length || at <= from))
      .map(([at, content, offset, length]) => {
        const sealed = content === undefined && at === ZIP.length - DIRECTORY.length;
        const skip = Math.max(0, from - at);
        if (content) return { source: { $case: 'content', value: content.subarray(skip) } };
        const url = `${store.url}/${sealed ? 'sealed' : 'object'}?X-Amz-Signature=secret`;
        const cipherKey = sealed ? CIPHER_KEY : Buffer.alloc(0);
        return { source: { $case: 'object', value: { url, offset: offset + skip, length: length - skip, cipherKey } } };
      });
  of.behind.exports = {
    async openArchive(request) {
      requested.opened.push({ etag: request.etag, resume: request.resume });
      return { archiveId: 'archive', etag, size: ZIP.length, mayDiffer: requested.mayDiffer };
    },
    async locateArchive({ offset, maxPieces }) {
      requested.located += 1;
      if (requested.isErased)
        throw new DomainError('gone', 'This archive is not there any more; ask for the export again.');
      return { pieces: locate(offset).slice(0, maxPieces) };
    },
    async reportArchive({ offset }) {
      requested.reported.push(offset);
      return {};
    },
  };
  return requested;
}
