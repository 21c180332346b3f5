import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { CpuTimeError, runProgram } from '@recording-request/kit/ffmpeg/run-program';
import { safeInputOptions } from '@recording-request/kit/ffmpeg/safe-input';
import type { RunOptions } from '@recording-request/kit/ffmpeg/sandbox';
import { firstStreams } from '../domain/inspection.ts';
import { type PictureSize, type Scan, type StreamScan, StreamTally } from '../domain/scan.ts';
import { isCutMp4 } from './mp4-boxes.ts';

// Ten minutes of video and sound are about 60,000, in slow motion 170,000; a file whose index repeats a chunk could have
// them without end.
const MAX_PACKETS = 200_000;
const MAX_STREAMS = 64;
// What an MP4 has beside its packets, generously: more is packets that were not read.
const INDEX_BYTES = 64 * 1024;
const INDEX_BYTES_PER_PACKET = 32;
// What the file says of its streams and its first packet nearly always give a picture. Where they do not, as in a recording that begins
// in the midst of a stream, the streams are looked into, and one of the next packets may.
const FIRST_LOOKS = [
  { packets: 1, looksInto: false },
  { packets: 32, looksInto: true },
];
// Looking into streams decodes pictures for what a file does not say of their pixels, which nobody asks for here.
const NO_PICTURES = ['-skip_frame:v', 'all'];

/** The file was not read to its end: it has too many packets or streams, or takes too much CPU time. */
export class ScanLimitError extends Error {}

/** Packets of a file as they were read. `indexes` are those of the streams. */
interface Reading {
  scan: Scan;
  indexes: string[];
  packets: number;
  bytes: number;
}

/**
 * Reads every packet of a local file without decoding. Returns a scan without streams for a file that is no video. An MP4 lists the
 * packets of each stream apart, and ends for all of them at the first one that is not there: where it lacks some, as one that was
 * cut in the midst of a fragment, the video and the sound are read each by itself.
 */
export async function scanPackets(path: string, options: RunOptions): Promise<Scan> {
  const reading = await readPackets(path, [], options);
  const isMp4 = reading.scan.format.split(',').includes('mp4');
  const lacksPackets = isMp4 && ((await hasUnread(path, reading)) || (await isCutMp4(path)));
  return lacksPackets ? await scanApart(path, reading, options) : reading.scan;
}

/** Whether a file has many more bytes than its packets and the index of them. */
async function hasUnread(path: string, { packets, bytes }: Reading): Promise<boolean> {
  const { size } = await stat(path);
  return size - bytes > INDEX_BYTES + packets * INDEX_BYTES_PER_PACKET;
}

async function scanApart(path: string, { scan, indexes }: Reading, options: RunOptions): Promise<Scan> {
  const streams = [...scan.streams];
  for (const stream of Object.values(firstStreams(scan))) {
    if (!stream) continue;
    const at = streams.indexOf(stream);
    const { scan: alone } = await readPackets(path, ['-select_streams', indexes[at]!], options);
    const [found] = alone.streams;
    if (found && found.packets > stream.packets) streams[at] = found;
  }
  return { ...scan, streams, readApart: streams.some((stream, at) => stream !== scan.streams[at]) };
}

async function readPackets(path: string, selection: string[], options: RunOptions): Promise<Reading> {
  const tallies = new Map<string, StreamTally>();
  const streams: StreamScan[] = [];
  const scan: Scan = { format: '', startSec: undefined, headerDurationSec: undefined, streams, readApart: false };
  const reading: Reading = { scan, indexes: [], packets: 0, bytes: 0 };
  const entries = [
    'packet=stream_index,pts_time,dts_time,duration_time,size,flags',
    'stream=index,codec_type,codec_name,width,height',
    'stream_disposition=attached_pic',
    'format=format_name,start_time,duration',
  ];
  const args = [...NO_PICTURES, ...selection, '-show_packets', '-show_entries', entries.join(':')];
  for await (const line of probe('packets', args, path, options)) {
    const fields = fieldsOf(line);
    if (line.startsWith('packet|')) {
      reading.packets += 1;
      reading.bytes += Number(fields.get('size')) || 0;
      if (reading.packets > MAX_PACKETS) throw new ScanLimitError('too many packets');
      addPacket(tallies, fields);
    } else if (line.startsWith('stream|')) {
      const index = fields.get('index') ?? '';
      reading.indexes.push(index);
      streams.push(streamOf(fields, tallies.get(index) ?? new StreamTally()));
    } else if (line.startsWith('format|')) {
      scan.format = fields.get('format_name') ?? '';
      scan.startSec = seconds(fields.get('start_time'));
      scan.headerDurationSec = seconds(fields.get('duration'));
    }
  }
  return reading;
}

/** Decodes a picture of the first packets of the video. Returns its size; undefined where they give none. */
export async function firstPicture(path: string, options: RunOptions): Promise<PictureSize | undefined> {
  for (const look of FIRST_LOOKS) {
    const picture = await anyPicture(path, look, options);
    if (picture) return picture;
  }
  return undefined;
}

async function anyPicture(
  path: string,
  { packets, looksInto }: (typeof FIRST_LOOKS)[number],
  options: RunOptions,
): Promise<PictureSize | undefined> {
  const frames = ['-select_streams', 'V:0', '-read_intervals', `%+#${packets}`, '-show_entries', 'frame=width,height'];
  const args = looksInto ? frames : ['-nofind_stream_info', ...frames];
  for await (const line of probe('frame', args, path, options)) {
    const fields = fieldsOf(line);
    const [width, height] = [Number(fields.get('width')), Number(fields.get('height'))];
    if (width > 0 && height > 0) return { width, height };
  }
  return undefined;
}

function addPacket(tallies: Map<string, StreamTally>, fields: Map<string, string>): void {
  const index = fields.get('stream_index') ?? '';
  let tally = tallies.get(index);
  if (!tally) {
    if (tallies.size >= MAX_STREAMS) throw new ScanLimitError('too many streams');
    tally = new StreamTally();
    tallies.set(index, tally);
  }
  const flags = fields.get('flags') ?? '';
  tally.add({
    sec: seconds(fields.get('pts_time')) ?? seconds(fields.get('dts_time')),
    durationSec: seconds(fields.get('duration_time')),
    key: flags.includes('K'),
    discarded: flags.includes('D'),
  });
}

function streamOf(fields: Map<string, string>, tally: StreamTally): StreamScan {
  const codec = fields.get('codec_name') ?? '';
  return {
    kind: fields.get('codec_type') ?? '',
    codec: codec === 'unknown' ? '' : codec,
    width: Number(fields.get('width') ?? 0) || 0,
    height: Number(fields.get('height') ?? 0) || 0,
    attachedPicture: fields.get('disposition:attached_pic') === '1',
    packets: tally.packets,
    firstSec: tally.firstSec,
    lastSec: tally.lastSec,
    endSec: tally.endSec,
    keyFrames: tally.keyFrames,
  };
}

function fieldsOf(line: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const part of line.split('|')) {
    const at = part.indexOf('=');
    if (at > 0) fields.set(part.slice(0, at), part.slice(at + 1));
  }
  return fields;
}

function seconds(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && text !== '' && Number.isFinite(value) ? value : undefined;
}

/** Yields the lines that ffprobe prints. They alone show what is in the file, not its exit code or its messages. */
async function* probe(
  purpose: 'packets' | 'frame',
  options: string[],
  path: string,
  runOptions: RunOptions,
): AsyncGenerator<string> {
  const asked = ['-v', 'quiet', '-threads', '1', ...safeInputOptions('file'), ...options, '-of', 'compact', path];
  const { size: bytesIn } = await stat(path);
  using running = runProgram('ffprobe', asked, runOptions, { span: 'ffprobe', purpose, bytesIn });
  yield* createInterface({ input: running.stdout, crlfDelay: Number.POSITIVE_INFINITY });
  await running.end().catch(error => {
    throw error instanceof CpuTimeError ? new ScanLimitError('too much to work out', { cause: error }) : error;
  });
}
