import { type FileHandle, open } from 'node:fs/promises';

/** A box of an MP4 file. Its content, without the header, spans `from` to `to`. */
interface Box {
  type: string;
  from: number;
  to: number;
}

const HEADER_BYTES = 8;
const LONG_HEADER_BYTES = 16;
/** A 32-bit size of 1 means that a 64-bit size follows. */
const IS_LONG = 1;
/** The maximum number of sibling boxes. ffmpeg writes fewer, except in files with fragments. */
const MAX_BOXES = 64;
/**
 * The maximum for files with fragments, which have two boxes each: fragments of a tenth of a second for ten minutes
 * stay below it.
 */
const MAX_FRAGMENT_BOXES = 20_000;

/**
 * Returns whether the boxes of an MP4 end before or after the end of the file: the file was cut, or has bytes outside
 * its boxes.
 */
export async function isCutMp4(path: string): Promise<boolean> {
  await using file = await open(path);
  const whole = { from: 0, to: (await file.stat()).size };
  return (await boxesIn(file, whole, MAX_FRAGMENT_BOXES)) === undefined;
}

/**
 * Follows a path of box types, and returns the first box at its end; undefined when there is none or a box on the path
 * is incomplete.
 */
export async function boxAt(file: FileHandle, within: Omit<Box, 'type'>, path: string[]): Promise<Box | undefined> {
  const [type, ...rest] = path;
  const found = (await boxesIn(file, within))?.find(box => box.type === type);
  return found && rest.length > 0 ? boxAt(file, found, rest) : found;
}

/**
 * Returns the sibling boxes in a part of the file; undefined when they do not fill the part exactly, or there are more
 * than `most`.
 */
export async function boxesIn(
  file: FileHandle,
  { from, to }: Omit<Box, 'type'>,
  most = MAX_BOXES,
): Promise<Box[] | undefined> {
  const boxes: Box[] = [];
  for (let at = from; at < to; at = boxes.at(-1)!.to) {
    const header = await bytesAt(file, at, Math.min(LONG_HEADER_BYTES, to - at));
    if (header.length < HEADER_BYTES || boxes.length === most) return undefined;
    const isLong = header.readUInt32BE(0) === IS_LONG;
    const headerBytes = isLong ? LONG_HEADER_BYTES : HEADER_BYTES;
    if (header.length < headerBytes) return undefined;
    const size = isLong ? Number(header.readBigUInt64BE(HEADER_BYTES)) : header.readUInt32BE(0);
    if (size < headerBytes || at + size > to) return undefined;
    boxes.push({ type: header.toString('latin1', 4, HEADER_BYTES), from: at + headerBytes, to: at + size });
  }
  return boxes;
}

/** Returns the bytes of a file from a position on; returns fewer bytes at the file's end. */
export async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}
