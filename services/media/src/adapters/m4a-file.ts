import { type FileHandle, open } from 'node:fs/promises';

/** A box of an MP4 file. Its content, without the header, is from `from` to `to`. */
interface Box {
  type: string;
  from: number;
  to: number;
}

const HEADER_BYTES = 8;
const LONG_HEADER_BYTES = 16;
/** In place of a size: it follows in 64 bits. */
const IS_LONG = 1;
/** Where `stsz` has the size that all samples have in common, or 0, and their number. */
const SAMPLE_SIZE_AT = 4;
const SAMPLE_COUNT_AT = 8;
const SAMPLE_TABLE_AT = 12;
const TO_SAMPLE_SIZES = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsz'];
/** ffmpeg writes fewer beside each other. */
const MAX_BOXES = 64;

/**
 * Whether an .m4a that ffmpeg wrote is all there: every box with all its bytes, media, and an index that lists samples. One
 * that was cut lacks the index, or the end of the media where the index had been moved to the front. Reads headers only.
 */
export async function isWholeM4a(path: string): Promise<boolean> {
  await using file = await open(path);
  const whole = { from: 0, to: (await file.stat()).size };
  const media = await boxAt(file, whole, ['mdat']);
  const sizes = await boxAt(file, whole, TO_SAMPLE_SIZES);
  if (!media || media.to === media.from || !sizes || sizes.to - sizes.from < SAMPLE_TABLE_AT) return false;
  const header = await bytesAt(file, sizes.from, SAMPLE_TABLE_AT);
  const count = header.readUInt32BE(SAMPLE_COUNT_AT);
  const tableBytes = header.readUInt32BE(SAMPLE_SIZE_AT) === 0 ? count * 4 : 0;
  return count > 0 && sizes.to - sizes.from === SAMPLE_TABLE_AT + tableBytes;
}

/** Returns the first box of a path of types; undefined where there is none or a box on the way is not whole. */
async function boxAt(file: FileHandle, within: Omit<Box, 'type'>, path: string[]): Promise<Box | undefined> {
  const [type, ...rest] = path;
  const found = (await boxesIn(file, within))?.find(box => box.type === type);
  return found && rest.length > 0 ? boxAt(file, found, rest) : found;
}

/** Returns the boxes beside each other in a part of the file; undefined unless they fill it. */
async function boxesIn(file: FileHandle, { from, to }: Omit<Box, 'type'>): Promise<Box[] | undefined> {
  const boxes: Box[] = [];
  for (let at = from; at < to; at = boxes.at(-1)!.to) {
    const header = await bytesAt(file, at, Math.min(LONG_HEADER_BYTES, to - at));
    if (header.length < HEADER_BYTES || boxes.length === MAX_BOXES) return undefined;
    const isLong = header.readUInt32BE(0) === IS_LONG;
    const headerBytes = isLong ? LONG_HEADER_BYTES : HEADER_BYTES;
    if (header.length < headerBytes) return undefined;
    const size = isLong ? Number(header.readBigUInt64BE(HEADER_BYTES)) : header.readUInt32BE(0);
    if (size < headerBytes || at + size > to) return undefined;
    boxes.push({ type: header.toString('latin1', 4, HEADER_BYTES), from: at + headerBytes, to: at + size });
  }
  return boxes;
}

async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}
