import { sourceContainer } from './container.ts';
import { MAX_REORDERED, type Picture, type PictureSize, type Scan, type StreamScan } from './scan.ts';

const MAX_KEY_FRAMES = 1_000;

/** A video or sound track with packets. Times are seconds from the start of the clip. */
export interface Track {
  /** The track's index among all streams of the file. */
  stream: number;
  kind: string;
  /** "" when the codec has no known name. */
  codec: string;
  /** The number of presented packets, and their total bytes. */
  packets: number;
  bytes: number;
  startSec: number;
  endSec: number;
  /** The number of sample descriptions of its packets. */
  descriptions: number;
  channels: number;
  /** The display facts of the track's pictures, see StreamHeader. */
  looks: string[];
  /** True when the file does not state the duration of the last packet. */
  openEnd?: boolean | undefined;
  /** True when the packets' times restart, as in joined recordings. */
  restarts?: boolean | undefined;
}

/** The properties of a clip, from its packets. Times are seconds from the start of the clip. */
export interface Inspection {
  /** "webm", "matroska" or "mp4". */
  container: string;
  durationSec: number;
  /** True for any sound, even of an unknown codec. */
  hasAudio: boolean;
  videoCodec: string;
  /** The codec of the first sound with a known codec; "" when there is no such sound. */
  audioCodec: string;
  width: number;
  height: number;
  /** Ascending, at most 1,000. */
  keyFrames: number[];
  /** The start of the last video frame. */
  lastFrameSec: number;
  /** The numbers of presented packets. */
  videoPackets: number;
  audioPackets: number;
  /** The origin of the file's times in ffmpeg; undefined when the file does not state it. */
  startSec?: number | undefined;
  /** True when video and sound must be read separately. */
  readApart?: boolean | undefined;
  /** In the file's order; empty when the packets were not counted. */
  tracks: Track[];
}

interface Chosen {
  video: StreamScan | undefined;
  audio: StreamScan | undefined;
}

/**
 * These codecs store pictures in the order of their times. Other codecs may store a picture later than its time
 * requires.
 */
const IN_ORDER = /^(vp8|vp9|av1)$/;
const hasRestarts = ({ kind, codec, overtaken }: StreamScan) =>
  overtaken > (kind === 'audio' || IN_ORDER.test(codec) ? 0 : MAX_REORDERED);

const isTrack = ({ kind, attachedPicture }: StreamScan) => kind === 'audio' || (kind === 'video' && !attachedPicture);

/** Returns the first video that is not a cover picture and the first sound of a known codec, with or without packets. */
export function firstStreams({ streams }: Pick<Scan, 'streams'>): Chosen {
  const sounds = streams.filter(stream => stream.kind === 'audio');
  return {
    video: streams.find(stream => stream.kind === 'video' && isTrack(stream)),
    audio: sounds.find(isUsable) ?? sounds[0],
  };
}

/** Returns the streams that define a clip: the first video, and the first sound that has a known codec and packets. */
export function chosenStreams(scan: Scan): Chosen {
  const { video, audio } = firstStreams(scan);
  return { video: isUsable(video) ? video : undefined, audio: isUsable(audio) ? audio : undefined };
}

function isUsable(stream: StreamScan | undefined): boolean {
  return stream !== undefined && stream.packets > 0 && stream.firstSec !== undefined && stream.codec !== '';
}

/** Derives the properties of a clip from a scan; undefined when it shows no video. `picture` is its first decoded picture. */
export function inspectionOf(scan: Scan, picture?: Picture): Inspection | undefined {
  const { video, audio } = chosenStreams(scan);
  if (!video) return undefined;
  const first = Math.min(video.firstSec!, audio?.firstSec ?? Number.POSITIVE_INFINITY);
  const end = Math.max(video.endSec!, audio?.endSec ?? Number.NEGATIVE_INFINITY);
  // ffmpeg shifts a file by its stated start time, which differs from the first packet's time by a few milliseconds at
  // most.
  const startSec = scan.startSec !== undefined && Math.abs(scan.startSec - first) < 1 ? scan.startSec : undefined;
  const origin = startSec ?? first;
  const fromStart = (sec: number) => Math.max(0, round(sec - origin));
  const tracks = scan.streams.filter(stream => isTrack(stream) && stream.packets > 0);
  return {
    container: sourceContainer(scan.format, tracks),
    durationSec: round(end - first),
    hasAudio: tracks.some(({ kind }) => kind === 'audio'),
    videoCodec: video.codec,
    audioCodec: audio?.codec ?? '',
    ...sizeOf(video, picture),
    keyFrames: thinned(video.keyFrames.map(fromStart), MAX_KEY_FRAMES),
    lastFrameSec: fromStart(video.lastSec!),
    videoPackets: video.packets,
    audioPackets: audio?.packets ?? 0,
    ...(startSec === undefined ? {} : { startSec }),
    ...(scan.readApart ? { readApart: true } : {}),
    tracks: tracks.map(track => {
      const { stream, kind, codec, packets, bytes, firstSec, endSec, openEnd, descriptions, channels, looks } = track;
      return {
        ...{ stream, kind, codec, packets, bytes, descriptions, channels },
        looks: stream === video.stream ? withThoseOf(picture, looks) : looks,
        startSec: fromStart(firstSec ?? first),
        endSec: fromStart(endSec ?? end),
        ...(openEnd ? { openEnd } : {}),
        ...(hasRestarts(track) ? { restarts: true } : {}),
      };
    }),
  };
}

/** Adds the colours that only the decoded picture states, because a container may omit colours. */
function withThoseOf(picture: Picture | undefined, looks: string[]): string[] {
  const nameOf = (look: string) => look.split(' ')[0];
  const names = new Set(looks.map(nameOf));
  return [...looks, ...(picture?.looks ?? []).filter(look => !names.has(nameOf(look)))];
}

const round = (sec: number) => Math.round(sec * 1e6) / 1e6;

/** Prefers the stream's size for H.264: the container may state another size, and players show the stream's size. */
function sizeOf({ codec, width, height }: StreamScan, picture: PictureSize | undefined): PictureSize {
  return codec === 'h264' && picture ? picture : { width, height };
}

/** Returns at most `limit` of `items`, evenly spaced, including the first and the last. */
export function thinned<T>(items: T[], limit: number): T[] {
  if (items.length <= limit) return items;
  return Array.from({ length: limit }, (_, at) => items[Math.round((at * (items.length - 1)) / (limit - 1))]!);
}
