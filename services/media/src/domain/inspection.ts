import { sourceContainer } from './container.ts';
import type { PictureSize, Scan, StreamScan } from './scan.ts';

const MAX_KEY_FRAMES = 1_000;

/** The properties of a clip, as its packets show them. Times are seconds from the start of the clip. */
export interface Inspection {
  /** "webm", "matroska" or "mp4". */
  container: string;
  durationSec: number;
  hasAudio: boolean;
  videoCodec: string;
  /** "" without audio. */
  audioCodec: string;
  width: number;
  height: number;
  /** In order, at most 1,000. */
  keyFrames: number[];
  /** The start of the last video frame. */
  lastFrameSec: number;
  /** Packets that are presented; 0 when they were not counted. */
  videoPackets: number;
  /** Packets of the first sound, whether or not its codec has a name. */
  audioPackets: number;
  /** Where ffmpeg counts the file's times from; undefined where the file does not say. */
  startSec?: number | undefined;
  /** Whether the video and the sound have to be read each by itself. */
  readApart?: boolean | undefined;
}

interface Chosen {
  video: StreamScan | undefined;
  audio: StreamScan | undefined;
}

/** Returns the first video that is no cover picture, and the first sound, whether or not they have a packet. */
export const firstStreams = ({ streams }: Pick<Scan, 'streams'>): Chosen => ({
  video: streams.find(stream => stream.kind === 'video' && !stream.attachedPicture),
  audio: streams.find(stream => stream.kind === 'audio'),
});

/** Returns the streams that a player shows: the first video that is no cover picture, and the first sound that has a packet. */
export function chosenStreams(scan: Scan): Chosen {
  const { video, audio } = firstStreams(scan);
  return { video: isUsable(video) ? video : undefined, audio: isUsable(audio) ? audio : undefined };
}

function isUsable(stream: StreamScan | undefined): boolean {
  return stream !== undefined && stream.packets > 0 && stream.firstSec !== undefined && stream.codec !== '';
}

/** Derives the properties of a clip from a scan; undefined when it shows no video. `picture` is its first one, as it was decoded. */
export function inspectionOf(scan: Scan, picture?: PictureSize): Inspection | undefined {
  const { video, audio } = chosenStreams(scan);
  if (!video) return undefined;
  const first = Math.min(video.firstSec!, audio?.firstSec ?? Number.POSITIVE_INFINITY);
  const end = Math.max(video.endSec!, audio?.endSec ?? Number.NEGATIVE_INFINITY);
  // ffmpeg shifts a file by the start time that its container states, a few milliseconds from the first packet at most.
  const startSec = scan.startSec !== undefined && Math.abs(scan.startSec - first) < 1 ? scan.startSec : undefined;
  const origin = startSec ?? first;
  const fromStart = (sec: number) => Math.max(0, round(sec - origin));
  return {
    container: sourceContainer(scan.format, video.codec, audio?.codec ?? ''),
    durationSec: round(end - first),
    hasAudio: audio !== undefined,
    videoCodec: video.codec,
    audioCodec: audio?.codec ?? '',
    ...sizeOf(video, picture),
    keyFrames: thinned(video.keyFrames.map(fromStart), MAX_KEY_FRAMES),
    lastFrameSec: fromStart(video.lastSec!),
    videoPackets: video.packets,
    audioPackets: firstStreams(scan).audio?.packets ?? 0,
    ...(startSec === undefined ? {} : { startSec }),
    ...(scan.readApart ? { readApart: true } : {}),
  };
}

const round = (sec: number) => Math.round(sec * 1e6) / 1e6;

/** Of H.264 a container may say another size than the stream, which players show. */
function sizeOf({ codec, width, height }: StreamScan, picture: PictureSize | undefined): PictureSize {
  return codec === 'h264' && picture ? picture : { width, height };
}

/** Returns at most `limit` of `items`, evenly spread, the first and the last among them. */
export function thinned<T>(items: T[], limit: number): T[] {
  if (items.length <= limit) return items;
  return Array.from({ length: limit }, (_, at) => items[Math.round((at * (items.length - 1)) / (limit - 1))]!);
}
