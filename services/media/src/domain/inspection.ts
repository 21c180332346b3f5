import { sourceContainer } from './container.ts';
import type { Picture, PictureSize, Scan, StreamScan } from './scan.ts';

const MAX_KEY_FRAMES = 1_000;

/** A video or a sound of a clip that has packets. Times are seconds from the start of the clip. */
export interface Track {
  /** Its index among all streams of the file. */
  stream: number;
  kind: string;
  /** "" where its name is not known. */
  codec: string;
  /** Packets that are presented, and their bytes. */
  packets: number;
  bytes: number;
  startSec: number;
  endSec: number;
  /** Descriptions that its packets are decoded by. */
  descriptions: number;
  channels: number;
  /** How its pictures are shown. */
  looks: string[];
  /** Whether the file does not say how long the last packet lasts. */
  openEnd?: boolean | undefined;
}

/** The properties of a clip, as its packets show them. Times are seconds from the start of the clip. */
export interface Inspection {
  /** "webm", "matroska" or "mp4". */
  container: string;
  durationSec: number;
  /** Whether there is any sound, also one of an unknown codec. */
  hasAudio: boolean;
  videoCodec: string;
  /** The codec of the first sound that is known; "" without one. */
  audioCodec: string;
  width: number;
  height: number;
  /** In order, at most 1,000. */
  keyFrames: number[];
  /** The start of the last video frame. */
  lastFrameSec: number;
  /** Packets that are presented. */
  videoPackets: number;
  audioPackets: number;
  /** Where ffmpeg counts the file's times from; undefined where the file does not say. */
  startSec?: number | undefined;
  /** Whether the video and the sound have to be read each by itself. */
  readApart?: boolean | undefined;
  /** In the file's order; none where they were not counted. */
  tracks: Track[];
}

interface Chosen {
  video: StreamScan | undefined;
  audio: StreamScan | undefined;
}

const isTrack = ({ kind, attachedPicture }: StreamScan) => kind === 'audio' || (kind === 'video' && !attachedPicture);

/** Returns the first video that is no cover picture, and the first sound of a known codec, whether or not they have a packet. */
export function firstStreams({ streams }: Pick<Scan, 'streams'>): Chosen {
  const sounds = streams.filter(stream => stream.kind === 'audio');
  return {
    video: streams.find(stream => stream.kind === 'video' && isTrack(stream)),
    audio: sounds.find(isUsable) ?? sounds[0],
  };
}

/** Returns the streams that a clip is measured by: the first video, and the first sound of a known codec that has a packet. */
export function chosenStreams(scan: Scan): Chosen {
  const { video, audio } = firstStreams(scan);
  return { video: isUsable(video) ? video : undefined, audio: isUsable(audio) ? audio : undefined };
}

function isUsable(stream: StreamScan | undefined): boolean {
  return stream !== undefined && stream.packets > 0 && stream.firstSec !== undefined && stream.codec !== '';
}

/** Derives the properties of a clip from a scan; undefined when it shows no video. `picture` is its first one, as it was decoded. */
export function inspectionOf(scan: Scan, picture?: Picture): Inspection | undefined {
  const { video, audio } = chosenStreams(scan);
  if (!video) return undefined;
  const first = Math.min(video.firstSec!, audio?.firstSec ?? Number.POSITIVE_INFINITY);
  const end = Math.max(video.endSec!, audio?.endSec ?? Number.NEGATIVE_INFINITY);
  // ffmpeg shifts a file by the start time that its container states, a few milliseconds from the first packet at most.
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
      };
    }),
  };
}

/** Adds the colours that only the stream states: a container need not repeat them. */
function withThoseOf(picture: Picture | undefined, looks: string[]): string[] {
  const nameOf = (look: string) => look.split(' ')[0];
  const names = new Set(looks.map(nameOf));
  return [...looks, ...(picture?.looks ?? []).filter(look => !names.has(nameOf(look)))];
}

const round = (sec: number) => Math.round(sec * 1e6) / 1e6;

/** A container of H.264 may state another size than the stream. Players show that of the stream. */
function sizeOf({ codec, width, height }: StreamScan, picture: PictureSize | undefined): PictureSize {
  return codec === 'h264' && picture ? picture : { width, height };
}

/** Returns at most `limit` of `items`, evenly spread, the first and the last among them. */
export function thinned<T>(items: T[], limit: number): T[] {
  if (items.length <= limit) return items;
  return Array.from({ length: limit }, (_, at) => items[Math.round((at * (items.length - 1)) / (limit - 1))]!);
}
