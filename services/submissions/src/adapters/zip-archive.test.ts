import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { type ZipEntry, zipArchive } from './zip-archive.ts';

const never = new AbortController().signal;
const file = (index: number, content = `words of clip ${index} `.repeat(20)): ZipEntry => ({
  name: `${String(index).padStart(4, '0')}.txt`,
  date: new Date('2026-03-02T10:20:30.000Z'),
  content,
});
async function* filesOf(count: number, from = 1): AsyncIterable<ZipEntry> {
  for (let index = from; index < from + count; index += 1) yield file(index);
}
const bytesOf = async (files: AsyncIterable<ZipEntry>) =>
  Buffer.concat(await Array.fromAsync(zipArchive(files, never)));

/** Returns the inflated entries of a ZIP, as its directory lists them. */
function entriesOf(zip: Buffer): { name: string; method: number; text: string }[] {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06'));
  const entries = [];
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    assert.equal(zip.readUInt32LE(at), 0x02014b50);
    const method = zip.readUInt16LE(at + 10);
    const [size, nameLength, extraLength] = [
      zip.readUInt32LE(at + 20),
      zip.readUInt16LE(at + 28),
      zip.readUInt16LE(at + 30),
    ];
    const local = zip.readUInt32LE(at + 42);
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const data = zip.subarray(from, from + size);
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    entries.push({ name, method, text: (method === 8 ? inflateRawSync(data) : data).toString() });
    at += 46 + nameLength + extraLength;
  }
  return entries;
}

test('files are deflated, and the same files are the same bytes', async () => {
  async function* files() {
    yield* filesOf(3);
    yield file(4, '');
    yield file(5, 'ü '.repeat(500_000));
  }
  const zip = await bytesOf(files());
  const entries = entriesOf(zip);
  assert.deepEqual(
    entries.map(({ name, text }) => ({ name, text })),
    (await Array.fromAsync(files())).map(({ name, content }) => ({ name, text: content })),
  );
  assert.ok(entries.every(({ method, text }) => method === (text === '' ? 0 : 8)));
  assert.ok(zip.length < 10_000);
  assert.ok(zip.equals(await bytesOf(files())));
});

test('an archive without files is valid', async () => {
  assert.deepEqual(entriesOf(await bytesOf(filesOf(0))), []);
});

test('the next file is read once the bytes before it are taken, and none after the reader has left', async () => {
  let requested = 0;
  let ended = false;
  async function* files() {
    try {
      for (;;) yield file(++requested);
    } finally {
      ended = true;
    }
  }
  for await (const _piece of zipArchive(files(), never)) {
    await new Promise(resolve => setImmediate(resolve));
    assert.equal(requested, 1);
    break;
  }
  assert.deepEqual([requested, ended], [1, true]);
});

test('an error while files are read, or the signal, fails the archive', async () => {
  async function* broken() {
    yield file(1);
    throw new Error('erased meanwhile');
  }
  await assert.rejects(bytesOf(broken()), /erased meanwhile/);
  await assert.rejects(
    Array.fromAsync(zipArchive(filesOf(2), AbortSignal.abort(new Error('the caller left')))),
    /the caller left/,
  );
});

test('the directory of many files comes in large pieces', { timeout: 60_000 }, async () => {
  const FILES = 6_000;
  let pieces = 0;
  let largest = 0;
  for await (const piece of zipArchive(filesOf(FILES), never)) {
    pieces += 1;
    largest = Math.max(largest, piece.length);
  }
  assert.ok(pieces < FILES + 20, `${pieces} pieces`);
  assert.ok(largest <= 64 * 1024);
});
