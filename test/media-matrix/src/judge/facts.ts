/** Reads, with ffprobe, a file's instructions for players: its size, shape, colours and times. */
import { runTool } from '../clip/run-ffmpeg.ts';

interface Stream {
  index: number;
  codec_type: string;
  codec_name?: string;
  codec_tag_string: string;
  disposition: { attached_pic: number };
  side_data_list?: Array<Record<string, unknown>>;
  [name: string]: unknown;
}

export interface Facts {
  /** The container's duration in seconds; NaN if it states none. */
  durationSec: number;
  videos: Array<Record<string, string>>;
  sounds: Array<Record<string, string>>;
  keyFrames: number[];
}

const COLOURS = ['color_range', 'color_space', 'color_transfer', 'color_primaries'];
const SQUARE = '1:1';
/** Values that count as unset. Only some files state the default range `tv`. */
const UNSET = new Set(['unknown', 'reserved', 'tv']);

export async function factsOf(path: string, signal: AbortSignal): Promise<Facts> {
  const probed = ['-show_streams', '-show_format', '-of', 'json', path];
  const { stdout } = await runTool('ffprobe', ['-v', 'error', ...probed], signal);
  const { streams, format } = JSON.parse(stdout.toString()) as { streams: Stream[]; format: { duration?: string } };
  const videos = streams.filter(({ codec_type, disposition }) => codec_type === 'video' && !disposition.attached_pic);
  return {
    durationSec: Number(format.duration),
    videos: videos.map(stream => ({
      codec: stream.codec_name ?? stream.codec_tag_string,
      ...Object.fromEntries(
        COLOURS.filter(name => stream[name] !== undefined && !UNSET.has(String(stream[name]))).map(name => [
          name,
          String(stream[name]),
        ]),
      ),
      // The copy may state a colour that the clip does not state, but not a shape or a turn.
      shape: String(stream.sample_aspect_ratio ?? SQUARE).replace('0:1', SQUARE),
      turn: turnOf(stream),
    })),
    sounds: streams
      .filter(({ codec_type }) => codec_type === 'audio')
      .map(stream => ({ codec: stream.codec_name ?? stream.codec_tag_string, channels: String(stream.channels) })),
    keyFrames: await keyFramesOf(path, signal),
  };
}

const turnOf = ({ side_data_list = [] }: Stream): string => {
  const matrix = side_data_list.find(({ side_data_type }) => side_data_type === 'Display Matrix');
  return String(matrix?.displaymatrix ?? '').replaceAll(/\s+/g, ' ');
};

/** Returns the times of the shown key frames, from the start of the clip. */
async function keyFramesOf(path: string, signal: AbortSignal): Promise<number[]> {
  const probed = [
    '-select_streams',
    'V:0',
    '-show_entries',
    'packet=pts_time,flags:format=start_time',
    '-of',
    'json',
    path,
  ];
  const { stdout } = await runTool('ffprobe', ['-v', 'error', ...probed], signal);
  const { packets = [], format } = JSON.parse(stdout.toString()) as {
    packets?: Array<{ pts_time?: string; flags: string }>;
    format: { start_time?: string };
  };
  const start = Number(format.start_time ?? 0);
  return packets
    .filter(({ pts_time, flags }) => pts_time !== undefined && flags.includes('K') && !flags.includes('D'))
    .map(({ pts_time }) => Number(pts_time) - start);
}
