import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayBeVideo, mimeTypeOfFirst } from './first-bytes.ts';

const file = (...parts: (string | number[])[]) =>
  Buffer.concat([...parts.map(part => Buffer.from(part as string, 'latin1')), Buffer.alloc(100)]);
const box = (type: string, size = 16) => [0, 0, 0, size, ...Buffer.from(type), ...Buffer.alloc(size - 8)];

test('bytes that begin a container may be a video', () => {
  for (const head of [
    file([0x1a, 0x45, 0xdf, 0xa3, 0x9f]),
    file(box('ftyp', 32), box('moov')),
    file(box('mdat')),
    file(box('wide', 8), box('mdat')),
    file(box('odd '), box('ftyp')),
    file([0, 0, 0, 1, ...Buffer.from('mdat')]),
    Buffer.from('too few bytes to tell'),
  ])
    assert.equal(mayBeVideo(head), true, head.toString('latin1', 0, 12));
});

test('the first bytes show the media type', () => {
  const ebml = (docType: string) =>
    file([0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x86, 0x81, 1, 0x42, 0x82, 0x80 + docType.length], docType);
  const branded = (brand: string) => file([0, 0, 0, 20], 'ftyp', brand);
  for (const [head, type] of [
    [ebml('webm'), 'video/webm'],
    [ebml('matroska'), 'video/x-matroska'],
    [ebml('other'), undefined],
    [file([0x1a, 0x45, 0xdf, 0xa3, 0x9f]), undefined],
    [branded('isom'), 'video/mp4'],
    [branded('qt  '), 'video/quicktime'],
    [branded('3gp4'), 'video/3gpp'],
    [file(box('styp')), 'video/mp4'],
    [file(box('wide', 8), box('mdat')), 'video/quicktime'],
    [file('%PDF-1.7\n'), undefined],
    [Buffer.from('too few bytes to tell'), undefined],
  ] as const)
    assert.equal(mimeTypeOfFirst(head), type, head.toString('latin1', 0, 24));
});

test('bytes that begin anything else are no video', () => {
  for (const head of [
    file('%PDF-1.7\n'),
    file([0x89], 'PNG\r\n', [0x1a, 0x0a]),
    file('ID3', [4, 0, 0]),
    file('RIFF', [1, 2, 3, 4], 'WAVE'),
    file('OggS'),
    file('PK', [3, 4]),
    Buffer.alloc(100),
    Buffer.alloc(100, 'x'),
  ])
    assert.equal(mayBeVideo(head), false, head.toString('latin1', 0, 12));
});
