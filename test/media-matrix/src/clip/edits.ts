/** Writes edit lists that omit a part in the middle, as a phone's editor does. */
import { boxesOf } from './surgery.ts';

/** The shown parts, in seconds. */
const SHOWN_SEC = [
  [0, 1],
  [2, 4],
] as const;
const SECONDS = SHOWN_SEC.reduce((sum, [from, to]) => sum + to - from, 0);
/** Boxes that contain other boxes. */
const HOLDERS = new Set(['moov', 'trak', 'edts', 'mdia']);
const NORMAL_SPEED = 0x10000;
const ENTRY_BYTES = 12;

const u32 = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4);
  return bytes;
};

/** Replaces the edit lists of an MP4 whose index is at its end. */
export function withTwoEdits(bytes: Buffer): Buffer {
  const moov = boxesOf(bytes).find(({ type }) => type === 'moov')!;
  if (moov.to !== bytes.length) throw new Error('the index is not at the end');
  const timescale = timescaleOf(bytes, moov, 'mvhd');
  return Buffer.concat([bytes.subarray(0, moov.at), rewritten(bytes, moov, { movie: timescale, track: timescale })]);
}

type Box = ReturnType<typeof boxesOf>[number];

function rewritten(bytes: Buffer, box: Box, scales: { movie: number; track: number }): Buffer {
  const inner = box.type === 'trak' ? { ...scales, track: timescaleOf(bytes, box, 'mdhd') } : scales;
  const content = HOLDERS.has(box.type)
    ? Buffer.concat(boxesOf(bytes, box.from, box.to).map(each => rewritten(bytes, each, inner)))
    : changed(box.type, Buffer.from(bytes.subarray(box.from, box.to)), scales);
  return Buffer.concat([u32(content.length + 8), Buffer.from(box.type, 'latin1'), content]);
}

function changed(type: string, content: Buffer, { movie, track }: { movie: number; track: number }): Buffer {
  if (type === 'mvhd') content.writeUInt32BE(SECONDS * movie, 16);
  if (type === 'tkhd') content.writeUInt32BE(SECONDS * movie, 20);
  if (type !== 'elst') return content;
  const begins = content.readInt32BE(ENTRY_BYTES);
  const entries = SHOWN_SEC.flatMap(([from, to]) => [(to - from) * movie, begins + from * track, NORMAL_SPEED]);
  return u32(0, SHOWN_SEC.length, ...entries);
}

/** Returns the timescale from a version 0 header at any depth of the box. */
function timescaleOf(bytes: Buffer, { from, to }: Pick<Box, 'from' | 'to'>, type: string): number {
  for (const box of boxesOf(bytes, from, to)) {
    if (box.type === type) return bytes.readUInt32BE(box.from + 12);
    const found = HOLDERS.has(box.type) ? timescaleOf(bytes, box, type) : 0;
    if (found > 0) return found;
  }
  return 0;
}
