import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import {
  type Archive,
  type ArchivePage,
  archivePartsKey,
  directoryPiece,
  fileLength,
  type Piece,
  textPieces,
  videoAt,
  videoFile,
  videoPieces,
  videosAt,
} from './archive.ts';
import { directoryRecord, endRecords, localHeader, NAME_AT, type ZipFile } from './zip-layout.ts';

const DAY = new Date('2026-01-02T03:04:05.678Z');
const contents = ['{}', 'a,b\r\n', 'Transcripts'].map(text => Buffer.from(text));
const videos = [7, 1, 30].map((size, at) => ({ key: `video ${at}`, bytes: Buffer.alloc(size, `${at}`) }));
const fileOf = (name: string, bytes: Buffer): ZipFile => ({ name, date: DAY, size: bytes.length, crc32: crc32(bytes) });

const texts = contents.map((bytes, at) => fileOf(`text ${at}`, bytes));
const page: ArchivePage = {
  offset: videosAt({ texts }),
  number: 9_999,
  videos: videos.map(({ key, bytes }, at) => ({
    ...{ submissionId: `clip ${at}`, createdAt: DAY, key },
    ...{ size: bytes.length, crc32: crc32(bytes), extension: 'webm' },
  })),
};

const named = page.videos[1]!;
const NAME = 'videos/Größe 1 - 10000-clip 1.webm';
named.name = { offset: 0, length: Buffer.byteLength(NAME) };
const files = [
  ...texts,
  ...page.videos.map((video, at) => ({
    ...videoFile(video, page.number + at),
    ...(video === named && { name: NAME }),
  })),
];
const bodies = [...contents, ...videos.map(({ bytes }) => bytes)];
let directoryAt = 0;
const directory: Buffer[] = [];
for (const file of files) {
  if (file.name === NAME) {
    const before = [...contents, ...directory].reduce((sum, { length }) => sum + length, 0);
    named.name.offset = before + NAME_AT.record;
  }
  directory.push(directoryRecord(file, directoryAt));
  directoryAt += fileLength(file);
}
directory.push(endRecords(files.length, Buffer.concat(directory).length, directoryAt));
const whole = Buffer.concat([...files.flatMap((file, at) => [localHeader(file), bodies[at]!]), ...directory]);
const archive: Archive = {
  ...{ id: 'archive', projectId: 'project', etag: '""', size: whole.length, texts, directoryAt },
  ...{ cipherKey: 'key', erasedSince: DAY, erasedCount: 0 },
};
const objects = new Map([
  [archivePartsKey(archive), Buffer.concat([...contents, ...directory])],
  ...videos.map(({ key, bytes }) => [key, bytes] as const),
]);

const read = (pieces: Iterable<Piece>): Buffer =>
  Buffer.concat(
    [...pieces].map(piece => {
      if ('content' in piece) return piece.content;
      assert.ok(piece.length > 0, 'no object is read for zero bytes');
      assert.equal(piece.cipherKey, piece.key === archivePartsKey(archive) ? 'key' : undefined);
      return objects.get(piece.key)!.subarray(piece.offset, piece.offset + piece.length);
    }),
  );

test('the pieces from any byte on are the rest of the archive', () => {
  for (let offset = 0; offset < whole.length; offset++) {
    const inFront = [...textPieces(archive, offset), ...videoPieces(archive, page, offset)];
    const end = directoryPiece(archive, Math.max(offset, directoryAt));
    assert.ok(read([...inFront, end]).equals(whole.subarray(offset)), `from byte ${offset}`);
  }
});

test('a byte of a video is located in it, a byte of its header before it', () => {
  const [first] = page.videos;
  const header = fileLength(videoFile(first!, page.number)) - first!.size;
  assert.deepEqual(videoAt(page, page.offset), { video: first, offset: -header });
  assert.deepEqual(videoAt(page, page.offset + header + 3), { video: first, offset: 3 });
  assert.equal(videoAt(page, page.offset + header + first!.size)?.video, page.videos[1]);
  assert.equal(videoAt(page, directoryAt), undefined);
});

test('a name with a reference is in the encrypted object alone', () => {
  assert.ok(!JSON.stringify(page).includes('Größe'));
  const pieces = [...videoPieces(archive, page, page.offset)];
  assert.ok(!pieces.some(piece => 'content' in piece && piece.content.includes('Größe')));
  assert.equal(localHeader(files[4]!).readUInt16LE(6), 0x0800, 'the name is in UTF-8');
});

test('the names of videos are numbered, with four digits or more', () => {
  const [video] = page.videos;
  assert.equal(videoFile(video!, 1).name, 'videos/0001-clip 0.webm');
  assert.equal(videoFile(video!, 12_345).name, 'videos/12345-clip 0.webm');
});
