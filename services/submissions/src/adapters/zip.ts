import { crc32 } from 'node:zlib';

export interface ZipEntry {
  /** ASCII. */
  name: string;
  date: Date;
  bytes: AsyncIterable<Buffer | string>;
}

interface Written {
  name: Buffer;
  dosTime: number;
  crc: number;
  size: number;
  /** Where its header begins. */
  offset: number;
}

// APPNOTE.TXT of PKWARE, version 6.3.10. A field that is all ones has its value in a Zip64 record.
const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
const VERSION = 20;
const VERSION_ZIP64 = 45;
const MADE_BY = (3 << 8) | VERSION_ZIP64;
// Size and CRC follow the bytes.
const FLAGS = 0x0008;
const PLAIN_FILE = (0o100644 << 16) >>> 0;
const RECORDS_IN_BLOCK = 512;

/**
 * Yields a ZIP while it is made: stored, not deflated, because video does not shrink. Each entry is asked for when its turn
 * comes; what is kept of it for the directory is about a hundred bytes. Rejects with what an entry rejects with.
 */
export async function* zipChunks(entries: AsyncIterable<ZipEntry>, signal: AbortSignal): AsyncGenerator<Buffer> {
  const directory = createDirectory();
  let offset = 0;
  for await (const { name, date, bytes } of entries) {
    const entry: Written = { name: Buffer.from(name), dosTime: dosTimeOf(date), crc: 0, size: 0, offset };
    const header = localHeader(entry);
    yield header;
    for await (const piece of bytes) {
      signal.throwIfAborted();
      const chunk = typeof piece === 'string' ? Buffer.from(piece) : piece;
      entry.crc = crc32(chunk, entry.crc);
      entry.size += chunk.length;
      yield chunk;
    }
    const descriptor = dataDescriptor(entry);
    yield descriptor;
    offset += header.length + entry.size + descriptor.length;
    directory.add(entry);
  }
  yield* directory.chunks(offset);
}

function createDirectory() {
  // In blocks: a Buffer of its own for each record would take more than the record.
  const blocks: Buffer[] = [];
  let pending: Buffer[] = [];
  let count = 0;
  let size = 0;
  return {
    add(entry: Written) {
      const record = directoryRecord(entry);
      count += 1;
      size += record.length;
      if (pending.push(record) < RECORDS_IN_BLOCK) return;
      blocks.push(Buffer.concat(pending));
      pending = [];
    },
    *chunks(offset: number): Iterable<Buffer> {
      yield* blocks;
      yield Buffer.concat([...pending, endRecords(count, size, offset)]);
    },
  };
}

function dosTimeOf(date: Date): number {
  const year = Math.min(127, Math.max(0, date.getUTCFullYear() - 1980));
  const day = (year << 25) | ((date.getUTCMonth() + 1) << 21) | (date.getUTCDate() << 16);
  return (day | (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)) >>> 0;
}

function localHeader({ name, dosTime }: Written): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(VERSION, 4);
  header.writeUInt16LE(FLAGS, 6);
  header.writeUInt32LE(dosTime, 10);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

function dataDescriptor({ crc, size }: Written): Buffer {
  const isLarge = size >= MAX_32;
  const descriptor = Buffer.alloc(isLarge ? 24 : 16);
  descriptor.writeUInt32LE(0x08074b50, 0);
  descriptor.writeUInt32LE(crc, 4);
  // Twice: stored, it is as long as it was.
  if (isLarge) {
    descriptor.writeBigUInt64LE(BigInt(size), 8);
    descriptor.writeBigUInt64LE(BigInt(size), 16);
  } else {
    descriptor.writeUInt32LE(size, 8);
    descriptor.writeUInt32LE(size, 12);
  }
  return descriptor;
}

function directoryRecord({ name, dosTime, crc, size, offset }: Written): Buffer {
  const large = [...(size >= MAX_32 ? [size, size] : []), ...(offset >= MAX_32 ? [offset] : [])];
  const extra = Buffer.alloc(large.length > 0 ? 4 + 8 * large.length : 0);
  if (large.length > 0) {
    extra.writeUInt16LE(0x0001, 0);
    extra.writeUInt16LE(8 * large.length, 2);
    for (const [index, value] of large.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
  }
  const record = Buffer.alloc(46);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(MADE_BY, 4);
  record.writeUInt16LE(large.length > 0 ? VERSION_ZIP64 : VERSION, 6);
  record.writeUInt16LE(FLAGS, 8);
  record.writeUInt32LE(dosTime, 12);
  record.writeUInt32LE(crc, 16);
  record.writeUInt32LE(Math.min(size, MAX_32), 20);
  record.writeUInt32LE(Math.min(size, MAX_32), 24);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt16LE(extra.length, 30);
  record.writeUInt32LE(PLAIN_FILE, 38);
  record.writeUInt32LE(Math.min(offset, MAX_32), 42);
  return Buffer.concat([record, name, extra]);
}

/** What closes a directory of `count` records and `size` bytes that begins at `offset`. */
function endRecords(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, MAX_16), 8);
  end.writeUInt16LE(Math.min(count, MAX_16), 10);
  end.writeUInt32LE(Math.min(size, MAX_32), 12);
  end.writeUInt32LE(Math.min(offset, MAX_32), 16);
  if (count < MAX_16 && size < MAX_32 && offset < MAX_32) return end;
  const large = Buffer.alloc(56);
  large.writeUInt32LE(0x06064b50, 0);
  large.writeBigUInt64LE(44n, 4);
  large.writeUInt16LE(MADE_BY, 12);
  large.writeUInt16LE(VERSION_ZIP64, 14);
  large.writeBigUInt64LE(BigInt(count), 24);
  large.writeBigUInt64LE(BigInt(count), 32);
  large.writeBigUInt64LE(BigInt(size), 40);
  large.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + size), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([large, locator, end]);
}
