import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '@recording-request/fixtures/run';

export interface Probe {
  /** The container's duration in seconds; undefined if it has none. */
  durationSec: number | undefined;
  container: string;
  /** In the order of the streams. */
  codecs: string[];
  width: number | undefined;
}

/** Reads a file's headers with ffprobe. */
export async function probe(path: string): Promise<Probe> {
  const json = await run('ffprobe', ['-v', 'error', '-show_format', '-show_streams', '-of', 'json', path]);
  const { format, streams } = JSON.parse(json) as {
    format: { duration?: string; format_name: string };
    streams: { codec_name: string; width?: number }[];
  };
  return {
    durationSec: format.duration === undefined ? undefined : Number(format.duration),
    container: format.format_name,
    codecs: streams.map(stream => stream.codec_name),
    width: streams.find(stream => stream.width !== undefined)?.width,
  };
}

/** Returns the time, in seconds, of the first picture that a player shows when it seeks to `second`. */
export async function seek(path: string, second: number): Promise<number> {
  const interval = ['-read_intervals', `${second}%+#1`];
  const entries = ['-select_streams', 'v:0', '-show_entries', 'packet=pts_time', '-of', 'csv=p=0'];
  const out = await run('ffprobe', ['-v', 'error', ...interval, ...entries, path]);
  return Number.parseFloat(out);
}

const CUES = Buffer.from('1c53bb6b', 'hex');

/** Returns whether a file has the index that lets a player seek without reading all of it: Cues in WebM, `moov` before `mdat` in MP4. */
export function hasIndex(bytes: Buffer, container: string): boolean {
  if (/webm|matroska/.test(container)) return bytes.includes(CUES);
  const moov = bytes.indexOf('moov');
  return moov > 0 && moov < bytes.indexOf('mdat') && !bytes.includes('moof');
}

const SIZE = { width: 160, height: 90 };

/** Returns small grey pictures of a file, `perSecond` per second (one for a still picture). */
export async function greyFrames(path: string, perSecond?: number): Promise<Buffer[]> {
  const filter = `${perSecond === undefined ? '' : `fps=${perSecond},`}scale=${SIZE.width}:${SIZE.height},format=gray`;
  const raw = await decoded(path, ['-map', '0:v:0', '-vf', filter, '-f', 'rawvideo']);
  const length = SIZE.width * SIZE.height;
  return Array.from({ length: Math.floor(raw.length / length) }, (_, at) =>
    raw.subarray(at * length, (at + 1) * length),
  );
}

/** Returns the mean difference of two pictures of `greyFrames`, 0 to 255. */
export function difference(a: Buffer, b: Buffer): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += Math.abs(a[at]! - b[at]!);
  return sum / a.length;
}

const RATE = 16_000;
const WINDOW = RATE / 50;
const LOUD = 600;

/** Returns the start and end of the audible part, in seconds; undefined when all is silent. */
export async function soundSpan(path: string): Promise<{ start: number; end: number } | undefined> {
  const raw = await decoded(path, ['-map', '0:a:0', '-ac', '1', '-ar', String(RATE), '-f', 's16le']);
  const samples = new Int16Array(raw.buffer, raw.byteOffset, Math.floor(raw.length / 2));
  const loud: number[] = [];
  for (let at = 0; at + WINDOW <= samples.length; at += WINDOW) {
    if (samples.subarray(at, at + WINDOW).some(sample => Math.abs(sample) > LOUD)) loud.push(at / RATE);
  }
  return loud.length === 0 ? undefined : { start: loud[0]!, end: loud.at(-1)! + WINDOW / RATE };
}

async function decoded(path: string, output: string[]): Promise<Buffer> {
  const scratch = await mkdtemp(join(tmpdir(), 'demo-'));
  try {
    const file = join(scratch, 'raw');
    await run('ffmpeg', ['-nostdin', '-v', 'error', '-i', path, ...output, file]);
    // Copies the bytes, so that they can be read as 16-bit numbers.
    return Buffer.from(await readFile(file));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
