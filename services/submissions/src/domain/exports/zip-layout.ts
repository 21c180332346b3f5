/** A file in a ZIP, stored without compression. */
export interface ZipFile {
  name: string;
  /** True for a name in UTF-8; otherwise the name is ASCII. */
  isUtf8?: boolean;
  date: Date;
  /** In bytes. */
  size: number;
  crc32: number;
}

// APPNOTE.TXT of PKWARE, version 6.3.10. If all bits of a field are 1, its value is in a Zip64 record.
const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
const VERSION = 20;
const VERSION_ZIP64 = 45;
const MADE_BY = (3 << 8) | VERSION_ZIP64;
const ZIP64_EXTRA = 0x0001;
const PLAIN_FILE = (0o100644 << 16) >>> 0;
const UTF8_NAME = 0x0800;

/** The offset of the name in a local header, and in a directory record. */
export const NAME_AT = { header: 30, record: 46 } as const;

/** Returns the header that precedes the bytes of a file. */
export function localHeader(file: ZipFile): Buffer {
  const name = Buffer.from(file.name);
  // The size appears twice, as the compressed and as the uncompressed size, which are equal for a stored file.
  const extra = zip64Extra(file.size >= MAX_32 ? [file.size, file.size] : []);
  const header = Buffer.alloc(NAME_AT.header);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(extra.length > 0 ? VERSION_ZIP64 : VERSION, 4);
  header.writeUInt16LE(file.isUtf8 ? UTF8_NAME : 0, 6);
  writeFields(header, 10, file);
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, name, extra]);
}

/** Returns the length of `localHeader` in bytes. */
export const localHeaderLength = ({ name, size }: Pick<ZipFile, 'name' | 'size'>): number =>
  NAME_AT.header + Buffer.byteLength(name) + (size >= MAX_32 ? 20 : 0);

/** Returns the directory record of a file whose local header begins at `offset`. */
export function directoryRecord(file: ZipFile, offset: number): Buffer {
  const { size } = file;
  const name = Buffer.from(file.name);
  const extra = zip64Extra([...(size >= MAX_32 ? [size, size] : []), ...(offset >= MAX_32 ? [offset] : [])]);
  const record = Buffer.alloc(NAME_AT.record);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(MADE_BY, 4);
  record.writeUInt16LE(extra.length > 0 ? VERSION_ZIP64 : VERSION, 6);
  record.writeUInt16LE(file.isUtf8 ? UTF8_NAME : 0, 8);
  writeFields(record, 12, file);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt16LE(extra.length, 30);
  record.writeUInt32LE(PLAIN_FILE, 38);
  record.writeUInt32LE(Math.min(offset, MAX_32), 42);
  return Buffer.concat([record, name, extra]);
}

/** Returns the records that end a directory of `count` records and `size` bytes that begins at `offset`. */
export function endRecords(count: number, size: number, offset: number): Buffer {
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

/** Both headers contain date, CRC and sizes in the same order. */
function writeFields(header: Buffer, at: number, { date, crc32, size }: ZipFile): void {
  header.writeUInt32LE(dosTimeOf(date), at);
  header.writeUInt32LE(crc32, at + 4);
  header.writeUInt32LE(Math.min(size, MAX_32), at + 8);
  header.writeUInt32LE(Math.min(size, MAX_32), at + 12);
}

function zip64Extra(values: number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0);
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(ZIP64_EXTRA, 0);
  extra.writeUInt16LE(8 * values.length, 2);
  for (const [index, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
  return extra;
}

function dosTimeOf(date: Date): number {
  const year = Math.min(127, Math.max(0, date.getUTCFullYear() - 1980));
  const day = (year << 25) | ((date.getUTCMonth() + 1) << 21) | (date.getUTCDate() << 16);
  return (day | (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)) >>> 0;
}
