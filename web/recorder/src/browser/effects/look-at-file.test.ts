import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindOf } from './look-at-file.ts';

type Part = string | Uint8Array<ArrayBuffer>;
const bytes = (text: string) => Uint8Array.from(text, letter => letter.charCodeAt(0));
const fileOf = (...parts: Part[]) => new Blob(parts.map(part => (typeof part === 'string' ? bytes(part) : part)));

function box(type: string, content = '', large = false): string {
  const size = content.length + (large ? 16 : 8);
  const text = (value: number, length: number) =>
    String.fromCharCode(...Array.from({ length }, (_, at) => (value >>> (8 * (length - 1 - at))) & 0xff));
  return large ? `${text(1, 4)}${type}\0\0\0\0${text(size, 4)}${content}` : text(size, 4) + type + content;
}
const track = (handler: string) => box('trak', box('mdia', box('hdlr', `\0\0\0\0\0\0\0\0${handler}\0\0`)));
const moov = (...handlers: string[]) => box('moov', box('mvhd') + handlers.map(track).join(''));
const matroska = (...codecs: string[]) =>
  `\x1aE\xdf\xa3 header ${codecs.map(codec => `\x86${String.fromCharCode(0x80 + codec.length)}${codec}`).join(' ')}`;

test('videos are recognised by their container and tracks, wherever the index is', async () => {
  const data = 'x'.repeat(100_000);
  for (const file of [
    fileOf(box('ftyp', 'isom'), moov('soun', 'vide'), box('mdat', data)),
    fileOf(box('ftyp', 'qt  '), box('wide'), box('mdat', data, true), moov('vide')),
    fileOf(moov('vide'), box('mdat')),
    fileOf(box('ftyp', 'isom'), '\0\0\0\x02mdat', data),
    fileOf(matroska('V_VP9', 'A_OPUS')),
    fileOf(matroska('V_MPEG4/ISO/AVC')),
    fileOf(matroska()),
  ])
    assert.equal(await kindOf(file), 'video', JSON.stringify((await file.text()).slice(0, 60)));
});

test('other files are recognised, whatever their name', async () => {
  const packet = `G${'\xff'.repeat(187)}`;
  const kinds: [kind: string, ...files: Part[]][] = [
    ['empty', ''],
    ['pdf', '%PDF-1.7\n'],
    ['picture', '\x89PNG\r\n\x1a\n', '\xff\xd8\xff\xe0', 'GIF89a', 'RIFF....WEBPVP8 ', box('ftyp', 'heic')],
    ['audio', 'ID3\x04', '\xff\xfb\x90', 'OggS', 'fLaC', 'RIFF....WAVEfmt ', matroska('A_OPUS')],
    ['audio', box('ftyp', 'M4A ') + moov('soun'), box('ftyp', 'isom') + moov('soun'), box('ftyp', 'M4A ')],
    ['otherFormat', 'RIFF....AVI LIST', 'FLV\x01', '\0\0\x01\xba', packet + packet],
    ['notVideo', 'PK\x03\x04', 'no video at all ', 'x', '\0\0\0\x08test', `G${'a'.repeat(300)}`],
  ];
  for (const [kind, ...files] of kinds)
    for (const file of files) assert.equal(await kindOf(fileOf(file)), kind, JSON.stringify(file));
});

test('an MP4 without an index is not a video: it was truncated, or its recording never ended', async () => {
  const data = 'x'.repeat(100_000);
  const whole = fileOf(box('ftyp', 'isom'), box('free'), box('mdat', data), moov('vide'));
  assert.equal(await kindOf(whole), 'video');
  for (const file of [
    whole.slice(0, 60_000),
    whole.slice(0, 40),
    fileOf(box('ftyp', 'isom'), box('mdat', data)),
    fileOf(box('ftyp', 'isom'), box('mdat', data, true).slice(0, 60_000)),
    fileOf(box('ftyp', 'isom'), '\0\0\0\0mdat', data),
    fileOf(box('ftyp', 'isom')),
  ])
    assert.equal(await kindOf(file), 'notVideo', `${file.size} bytes`);
  const many = fileOf(box('ftyp', 'isom'), box('free').repeat(100), moov('vide'));
  assert.equal(await kindOf(many), 'video', 'more boxes than the limit: the server decides');
});

test('an unreadable file rejects', async () => {
  const gone = Object.assign(fileOf('some bytes'), {
    slice: () => ({ arrayBuffer: () => Promise.reject(new Error()) }),
  });
  await assert.rejects(kindOf(gone as unknown as Blob));
});
