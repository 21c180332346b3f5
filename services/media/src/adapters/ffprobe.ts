import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { type Scan, type StreamScan, StreamTally } from '../domain/scan.ts';
import { SAFE_INPUT_OPTIONS } from './safe-input.ts';
import { endedFromOutside, killGroup, type RunOptions, type Sandbox, SPAWN_OPTIONS } from './sandbox.ts';

// Ten minutes of video and sound are about 60,000, in slow motion 170,000; a file whose index repeats a chunk could have
// them without end.
const MAX_PACKETS = 200_000;
const MAX_STREAMS = 64;
const FIRST_PACKETS = 32;
const FIND_MS = 10_000;

/** The file was not read to its end: it has too many packets or streams, or takes too much CPU time. */
export class ScanLimitError extends Error {}

/** Reads every packet of a local file without decoding. Returns a scan without streams for a file that is no video. */
export async function scanPackets(path: string, options: RunOptions): Promise<Scan> {
  const tallies = new Map<string, StreamTally>();
  const streams: StreamScan[] = [];
  const scan: Scan = { format: '', startSec: undefined, headerDurationSec: undefined, streams };
  let packets = 0;
  const entries = [
    'packet=stream_index,pts_time,dts_time,duration_time,flags',
    'stream=index,codec_type,codec_name,width,height',
    'stream_disposition=attached_pic',
    'format=format_name,start_time,duration',
  ];
  for await (const line of probe(['-show_packets', '-show_entries', entries.join(':')], path, options)) {
    const fields = fieldsOf(line);
    if (line.startsWith('packet|')) {
      packets += 1;
      if (packets > MAX_PACKETS) throw new ScanLimitError('too many packets');
      addPacket(tallies, fields);
    } else if (line.startsWith('stream|')) {
      streams.push(streamOf(fields, tallies.get(fields.get('index') ?? '') ?? new StreamTally()));
    } else if (line.startsWith('format|')) {
      scan.format = fields.get('format_name') ?? '';
      scan.startSec = seconds(fields.get('start_time'));
      scan.headerDurationSec = seconds(fields.get('duration'));
    }
  }
  return scan;
}

/** Returns whether the first packets of the video decode to a picture. */
export async function firstFrameDecodes(path: string, options: RunOptions): Promise<boolean> {
  const args = [
    '-select_streams',
    'V:0',
    '-read_intervals',
    `%+#${FIRST_PACKETS}`,
    '-show_entries',
    'frame=width,height',
  ];
  for await (const line of probe(args, path, options)) {
    const fields = fieldsOf(line);
    if (Number(fields.get('width')) > 0 && Number(fields.get('height')) > 0) return true;
  }
  return false;
}

/** Rejects when there is no ffprobe to run. */
export async function findFfprobe(sandbox: Sandbox): Promise<void> {
  const { command, args } = sandbox.commandOf('ffprobe', ['-version']);
  await promisify(execFile)(command, args, { env: SPAWN_OPTIONS.env, timeout: FIND_MS });
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
async function* probe(options: string[], path: string, { signal, sandbox }: RunOptions): AsyncGenerator<string> {
  signal.throwIfAborted();
  const asked = ['-v', 'quiet', '-threads', '1', ...SAFE_INPUT_OPTIONS, ...options, '-of', 'compact', path];
  const { command, args } = sandbox.commandOf('ffprobe', asked);
  const child = spawn(command, args, { ...SPAWN_OPTIONS, stdio: ['ignore', 'pipe', 'ignore'] });
  const kill = () => killGroup(child);
  signal.addEventListener('abort', kill, { once: true });
  const ended = once(child, 'close');
  // Awaited below unless the reader stops early; then it must not become an unhandled rejection.
  ended.catch(() => {});
  try {
    yield* createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY });
    await ended;
    signal.throwIfAborted();
    if (child.signalCode === 'SIGXCPU') throw new ScanLimitError('too much to work out');
    const by = endedFromOutside(child);
    if (by) throw new Error(`ffprobe was ended by ${by}`);
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
  }
}
