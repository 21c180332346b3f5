import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import { checkedLogo } from './logo.ts';

const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));
const u32 = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
const u16 = (value: number) => [value >>> 8, value & 255];
const png = (width: number, height: number) =>
  bytes('\x89PNG\r\n\x1a\n', u32(13), 'IHDR', u32(width), u32(height), [8, 6, 0, 0, 0]);
const jpeg = (width: number, height: number, marker = 0xc2) =>
  bytes(
    [0xff, 0xd8, 0xff, 0xe0, ...u16(6), 0, 0, 0, 0, 0xff, 0xc4, ...u16(4), 1, 2, 0xff, 0xff, marker, ...u16(11), 8],
    u16(height),
    u16(width),
    [1],
  );
const riff = (chunk: string, content: number[]) => bytes('RIFF', u32(0), 'WEBP', chunk, u32(0), content);
const u24 = (value: number) => [value & 255, (value >>> 8) & 255, value >>> 16];
const webpCanvas = (width: number, height: number) => riff('VP8X', [0, 0, 0, 0, ...u24(width - 1), ...u24(height - 1)]);
const lossless = (width: number, height: number) => {
  const bits = Buffer.alloc(4);
  bits.writeUInt32LE(((height - 1) << 14) | (width - 1));
  return riff('VP8L', [0x2f, ...bits]);
};
const lossy = (width: number, height: number) =>
  riff('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a, width & 255, width >>> 8, height & 255, height >>> 8]);

const KINDS = { png, jpeg, webpCanvas, lossless, lossy };
const TYPES = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  webpCanvas: 'image/webp',
  lossless: 'image/webp',
  lossy: 'image/webp',
};

test('the bytes decide on the media type, and the size in pixels has a limit', () => {
  for (const [name, make] of Object.entries(KINDS)) {
    const image = make(4_096, 300);
    assert.deepEqual(checkedLogo(image), { image, mediaType: TYPES[name as keyof typeof TYPES] });
    for (const [width, height] of [
      [4_097, 300],
      [300, 4_097],
    ] as const)
      assert.throws(() => checkedLogo(make(width, height)), new RegExp(`not ${width} × ${height}`), name);
  }
  assert.equal(checkedLogo(jpeg(20, 10, 0xc0)).mediaType, 'image/jpeg');
  assert.throws(() => checkedLogo(png(0, 10)), /pixels/);
});

test('other files, and files that end early, are refused', () => {
  const refused = [
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1'),
    Buffer.from('<!doctype html>'),
    Buffer.from([0xff, 0xd8, 0xff]),
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff]),
    jpeg(20, 10, 0xd9).subarray(0, 20),
    riff('JUNK', [0, 0, 0]),
    ...Object.values(KINDS).map(make => make(20, 10).subarray(0, 15)),
    png(20, 10).subarray(0, 20),
    Buffer.alloc(1),
  ];
  for (const image of refused)
    assert.throws(
      () => checkedLogo(image),
      (error: unknown) =>
        error instanceof DomainError && error.code === 'invalid' && /PNG, JPEG or WebP/.test(error.message),
      image.toString('latin1'),
    );
});

test('a file above 64 KiB is refused', () => {
  const large = Buffer.concat([png(10, 10), Buffer.alloc(65_536)]);
  assert.throws(() => checkedLogo(large), /at most 64 KiB/);
  assert.equal(checkedLogo(large.subarray(0, 65_536)).mediaType, 'image/png');
});
