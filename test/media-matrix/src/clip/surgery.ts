/** Changes files in ways that no muxer can. */
import { open, readFile, truncate, writeFile } from 'node:fs/promises';
import { type ClipSpec, storedSize } from './spec.ts';

const HEADER_BYTES = 8;

interface Box {
  type: string;
  /** The offset of the box's header. */
  at: number;
  from: number;
  to: number;
}

/** Returns the boxes of one level. Does not support 64-bit boxes. */
export function boxesOf(bytes: Buffer, from = 0, to = bytes.length): Box[] {
  const boxes: Box[] = [];
  for (let at = from; at + HEADER_BYTES <= to; at = boxes.at(-1)!.to) {
    const size = bytes.readUInt32BE(at);
    if (size < HEADER_BYTES) break;
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), at, from: at + HEADER_BYTES, to: at + size });
  }
  return boxes;
}

function inside(bytes: Buffer, { from, to }: Pick<Box, 'from' | 'to'>, path: string[]): Box[] {
  const [type, ...rest] = path;
  const found = boxesOf(bytes, from, to).filter(box => box.type === type);
  return rest.length === 0 ? found : found.flatMap(box => inside(bytes, box, rest));
}

const traksOf = (bytes: Buffer) => inside(bytes, { from: 0, to: bytes.length }, ['moov', 'trak']);
const handlerOf = (bytes: Buffer, trak: Box) => {
  const [handler] = inside(bytes, trak, ['mdia', 'hdlr']);
  return bytes.toString('latin1', handler!.from + 8, handler!.from + 12);
};

const ONE = 0x10000;

/** Writes a clip's turn into the header of each picture track of an MP4. */
export async function turnMp4(path: string, spec: ClipSpec): Promise<void> {
  const [width, height] = storedSize(spec).map(side => side * ONE) as [number, number];
  const matrices = {
    0: undefined,
    90: [0, ONE, 0, -ONE, 0, 0, height, 0],
    180: [-ONE, 0, 0, 0, -ONE, 0, width, height],
    270: [0, -ONE, 0, ONE, 0, 0, 0, width],
    mirrored: [-ONE, 0, 0, 0, ONE, 0, width, 0],
  };
  const matrix = matrices[spec.turn];
  if (!matrix) return;
  const bytes = await readFile(path);
  for (const trak of traksOf(bytes).filter(each => handlerOf(bytes, each) === 'vide')) {
    const [header] = inside(bytes, trak, ['tkhd']);
    // A version 1 header has 64-bit times.
    const at = header!.from + (bytes[header!.from] === 1 ? 52 : 40);
    for (const [nth, value] of matrix.entries()) bytes.writeInt32BE(value | 0, at + nth * 4);
  }
  await writeFile(path, bytes);
}

/** Replaces the colour in a Matroska file with the clip's turn, because ffmpeg cannot write a turn there. */
export async function turnMatroska(path: string, { turn }: ClipSpec): Promise<void> {
  const bytes = await readFile(path);
  const colour = bytes.indexOf(Buffer.from([0x55, 0xb0]));
  const size = bytes[colour + 2]! & 0x7f;
  // ProjectionType is rectangular; ProjectionPoseRoll is counterclockwise, in degrees.
  const projection = Buffer.from([0x76, 0x71, 0x81, 0, 0x76, 0x75, 0x84, 0, 0, 0, 0]);
  projection.writeFloatBE(turn === 90 ? -90 : turn === 270 ? 90 : 180, 7);
  const filler = size - projection.length - 2;
  if (colour < 0 || filler < 0) throw new Error(`no room for a turn in ${path}`);
  const content = Buffer.concat([projection, Buffer.from([0xec, 0x80 | filler]), Buffer.alloc(filler)]);
  Buffer.concat([Buffer.from([0x76, 0x70, 0x80 | size]), content]).copy(bytes, colour);
  await writeFile(path, bytes);
}

/** Replaces every occurrence of four bytes, such as the name of a codec. */
export async function replaceFourBytes(path: string, from: string, to: string): Promise<void> {
  const text = await readFile(path, 'latin1');
  if (!text.includes(from)) throw new Error(`${path} has no ${from}`);
  await writeFile(path, text.replaceAll(from, to), 'latin1');
}

/** Cuts a file to a share of its bytes. */
export async function cutTo(path: string, perCent: number): Promise<void> {
  await using file = await open(path);
  const { size } = await file.stat();
  await truncate(path, Math.floor((size * perCent) / 100));
}

/**
 * Joins two MP4s with one picture track each. The result is one track with both sample descriptions, as a camera writes
 * when it changes its picture size.
 */
export function joinDescriptions(one: Buffer, other: Buffer): Buffer {
  const whole = (bytes: Buffer) => ({ from: 0, to: bytes.length });
  const content = (bytes: Buffer, path: string[]) => {
    const [box] = inside(bytes, whole(bytes), path);
    return bytes.subarray(box!.from, box!.to);
  };
  const u32 = (...values: number[]) => {
    const bytes = Buffer.alloc(values.length * 4);
    for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4);
    return bytes;
  };
  const box = (type: string, ...parts: Buffer[]) => {
    const body = Buffer.concat(parts);
    return Buffer.concat([u32(body.length + HEADER_BYTES), Buffer.from(type, 'latin1'), body]);
  };
  const table = (bytes: Buffer, type: string) => content(bytes, ['moov', 'trak', 'mdia', 'minf', 'stbl', type]);
  const both = [one, other];
  const sizes = both.map(bytes => table(bytes, 'stsz').subarray(12));
  const counts = sizes.map(each => each.length / 4);
  const keys = both.map((bytes, nth) => {
    const list = table(bytes, 'stss').subarray(8);
    return Array.from({ length: list.length / 4 }, (_, at) => list.readUInt32BE(at * 4) + (nth === 0 ? 0 : counts[0]!));
  });
  const media = both.map(bytes => content(bytes, ['mdat']));
  const ftyp = box('ftyp', Buffer.from('isom\0\0\0\0', 'latin1'));
  const start = ftyp.length + HEADER_BYTES;
  const [scale, ticks] = [2_500, 100];
  const samples = counts[0]! + counts[1]!;
  const stbl = box(
    'stbl',
    box('stsd', u32(0, 2), table(one, 'stsd').subarray(8), table(other, 'stsd').subarray(8)),
    box('stts', u32(0, 1, samples, ticks)),
    box('stss', u32(0, keys.flat().length, ...keys.flat())),
    box('stsc', u32(0, 2, 1, counts[0]!, 1, 2, counts[1]!, 2)),
    box('stsz', u32(0, 0, samples), ...sizes),
    box('stco', u32(0, 2, start, start + media[0]!.length)),
  );
  const edited = (path: string[], values: Record<number, number>) => {
    const bytes = Buffer.from(content(one, path));
    for (const [at, value] of Object.entries(values)) bytes.writeUInt32BE(value, Number(at));
    return bytes;
  };
  const inMedia = (type: string) => content(one, ['moov', 'trak', 'mdia', type]);
  const inMinf = (type: string) => content(one, ['moov', 'trak', 'mdia', 'minf', type]);
  const seconds = (samples * ticks) / scale;
  const minf = box('minf', box('vmhd', inMinf('vmhd')), box('dinf', inMinf('dinf')), stbl);
  const mdhd = box('mdhd', edited(['moov', 'trak', 'mdia', 'mdhd'], { 12: scale, 16: samples * ticks }));
  const trak = box(
    'trak',
    box('tkhd', edited(['moov', 'trak', 'tkhd'], { 20: seconds * 1_000 })),
    box('mdia', mdhd, box('hdlr', inMedia('hdlr')), minf),
  );
  const mvhd = box('mvhd', edited(['moov', 'mvhd'], { 16: seconds * 1_000 }));
  return Buffer.concat([ftyp, box('mdat', ...media), box('moov', mvhd, trak)]);
}
