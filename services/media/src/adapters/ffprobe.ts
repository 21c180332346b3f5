import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { CpuTimeError, runProgram } from '@recording-request/kit-ffmpeg/run-program';
import { safeInputOptions } from '@recording-request/kit-ffmpeg/safe-input';
import type { RunOptions } from '@recording-request/kit-ffmpeg/sandbox';
import { firstStreams } from '../domain/inspection.ts';
import { type Picture, type PictureSize, type Scan, type StreamScan, StreamTally } from '../domain/scan.ts';
import { COLOURS, coloursOf, fieldsOf, seconds, streamHeaderOf } from './ffprobe-lines.ts';
import { isCutMp4 } from './mp4-boxes.ts';

// Ten minutes of video and sound have about 60,000 packets, or 170,000 in slow motion. The limit is necessary, because
// an index that repeats a chunk could list packets without end.
const MAX_PACKETS = 200_000;
const MAX_STREAMS = 64;
// The index of an MP4 is smaller than these two limits together. If a file is larger than its packets by more than
// that, ffprobe did not read all packets.
const INDEX_BYTES = 64 * 1024;
const INDEX_BYTES_PER_PACKET = 32;
// The number of first packets to decode: a recording that begins in the middle of a stream has a decodable picture
// among these.
const LOOKED_AT = 32;
// ffprobe decodes pictures to find pixel properties that the file does not state. This service does not need these
// properties.
const NO_PICTURES = ['-skip_frame:v', 'all'];

// ffprobe's name for the packet data that marks a change of the sample description.
const NEW_DESCRIPTION = 'side_data_type=New Extradata';

/** The file was not read to the end: it has too many packets or streams, or takes too much CPU time. */
export class ScanLimitError extends Error {}

/** The result of reading a file's packets. */
interface Reading {
  scan: Scan;
  packets: number;
  bytes: number;
}

/**
 * Reads every packet of a local file without decoding. Returns a scan without streams for a file that is not a video.
 * When ffprobe reads all streams of an MP4 together, it stops at the first missing packet of any stream. So if packets
 * are missing, for example after a cut inside a fragment, this function reads video and sound separately.
 */
export async function scanPackets(path: string, options: RunOptions): Promise<Scan> {
  const reading = await readPackets(path, [], options);
  const isMp4 = reading.scan.format.split(',').includes('mp4');
  const lacksPackets = isMp4 && ((await hasUnread(path, reading)) || (await isCutMp4(path)));
  return lacksPackets ? await scanApart(path, reading, options) : reading.scan;
}

/** Returns whether a file is much larger than its packets and their index. */
async function hasUnread(path: string, { packets, bytes }: Reading): Promise<boolean> {
  const { size } = await stat(path);
  return size - bytes > INDEX_BYTES + packets * INDEX_BYTES_PER_PACKET;
}

async function scanApart(path: string, { scan }: Reading, options: RunOptions): Promise<Scan> {
  const streams = [...scan.streams];
  for (const stream of Object.values(firstStreams(scan))) {
    if (!stream) continue;
    const at = streams.indexOf(stream);
    const { scan: alone } = await readPackets(path, ['-select_streams', String(stream.stream)], options);
    const [found] = alone.streams;
    if (found && found.packets > stream.packets) streams[at] = found;
  }
  return { ...scan, streams, readApart: streams.some((stream, at) => stream !== scan.streams[at]) };
}

async function readPackets(path: string, selection: string[], options: RunOptions): Promise<Reading> {
  const tallies = new Map<string, StreamTally>();
  const streams: StreamScan[] = [];
  const scan: Scan = { format: '', startSec: undefined, headerDurationSec: undefined, streams, readApart: false };
  const reading: Reading = { scan, packets: 0, bytes: 0 };
  const entries = [
    'packet=stream_index,pts_time,dts_time,duration_time,size,flags',
    'packet_side_data=side_data_type',
    'stream=index,codec_type,codec_name,width,height,channels,sample_aspect_ratio',
    'stream=color_range,color_space,color_transfer,color_primaries',
    'stream_side_data',
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
      addPacket(tallies, fields, line);
    } else if (line.startsWith('stream|')) {
      streams.push(streamOf(line, tallies.get(fields.get('index') ?? '') ?? new StreamTally()));
    } else if (line.startsWith('format|')) {
      scan.format = fields.get('format_name') ?? '';
      scan.startSec = seconds(fields.get('start_time'));
      scan.headerDurationSec = seconds(fields.get('duration'));
    }
  }
  return reading;
}

/**
 * Decodes a picture from the first packets of the video; undefined when there is none. The stated stream facts and the
 * first packet nearly always suffice; if not, ffprobe probes the streams.
 */
export async function firstPicture(path: string, options: RunOptions): Promise<Picture | undefined> {
  const at = await anyPicture(path, ['-nofind_stream_info', ...firstPackets(1)], options);
  return at ?? (await anyPicture(path, firstPackets(LOOKED_AT), options));
}

/** Decodes the first picture after the packets that an edit list hides. Only CPU time limits the work. */
export const pictureBehind = (path: string, hidden: number, options: RunOptions): Promise<Picture | undefined> =>
  anyPicture(path, firstPackets(hidden + LOOKED_AT), options);

/** Returns the picture size that the file states, without decoding; undefined when the file states none. */
export async function statedSize(path: string, options: RunOptions): Promise<PictureSize | undefined> {
  // Raises the limit, because ffprobe would otherwise not state the size of a larger picture.
  const look = ['-nofind_stream_info', '-max_pixels', '2147483647'];
  const args = [...look, '-select_streams', 'V:0', '-show_entries', 'stream=width,height'];
  for await (const line of probe('frame', args, path, options)) {
    const size = sizeIn(line);
    if (size) return size;
  }
  return undefined;
}

const firstPackets = (count: number) => ['-read_intervals', `%+#${count}`];

async function anyPicture(path: string, look: string[], options: RunOptions): Promise<Picture | undefined> {
  const args = [...look, '-select_streams', 'V:0', '-show_entries', `frame=width,height,${COLOURS.join()}`];
  for await (const line of probe('frame', args, path, options)) {
    const size = sizeIn(line);
    if (size) return { ...size, looks: coloursOf(fieldsOf(line)) };
  }
  return undefined;
}

function sizeIn(line: string): PictureSize | undefined {
  const fields = fieldsOf(line);
  const [width, height] = [Number(fields.get('width')), Number(fields.get('height'))];
  return width > 0 && height > 0 ? { width, height } : undefined;
}

function addPacket(tallies: Map<string, StreamTally>, fields: Map<string, string>, line: string): void {
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
    bytes: Number(fields.get('size')) || 0,
    key: flags.includes('K'),
    discarded: flags.includes('D'),
    described: line.includes(NEW_DESCRIPTION),
  });
}

function streamOf(line: string, tally: StreamTally): StreamScan {
  return { ...streamHeaderOf(line), ...tally.statistics() };
}

/**
 * Yields the lines that ffprobe prints. Callers judge the file by these lines only, not by the exit code or the
 * messages.
 */
async function* probe(
  purpose: 'packets' | 'frame',
  options: string[],
  path: string,
  runOptions: RunOptions,
): AsyncGenerator<string> {
  const args = ['-v', 'quiet', '-threads', '1', ...safeInputOptions('file'), ...options, '-of', 'compact', path];
  const { size: bytesIn } = await stat(path);
  using running = runProgram('ffprobe', args, runOptions, { span: 'ffprobe', purpose, bytesIn });
  yield* createInterface({ input: running.stdout, crlfDelay: Number.POSITIVE_INFINITY });
  await running.end().catch(error => {
    throw error instanceof CpuTimeError ? new ScanLimitError('too much to work out', { cause: error }) : error;
  });
}
