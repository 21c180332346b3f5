/** `webm` is a live recording as browsers make it, without a length. `webm file` is a complete file with a length. */
export type Container = 'webm' | 'webm file' | 'mkv' | 'mp4' | 'mov' | 'fmp4' | '3gp' | 'avi' | 'ts';
export type VideoCodec = 'h264' | 'hevc' | 'vp8' | 'vp9' | 'av1' | 'mpeg4' | 'h263' | 'mjpeg' | 'prores';
export type AudioCodec = 'aac' | 'opus' | 'vorbis' | 'pcm' | 'mp3' | 'alac' | 'flac' | 'ac3' | 'ima' | 'amr' | 'none';
/** A clockwise turn in degrees, or a mirror image. */
export type Turn = 0 | 90 | 180 | 270 | 'mirrored';
export type Edit = 'none' | 'hidden start' | 'late picture';
export type Colour = 'untagged' | 'bt601' | 'bt709' | 'full' | 'hlg' | 'pq';
export type Tracks =
  | 'picture first'
  | 'sound first'
  | 'silent first'
  | 'two sounds'
  | 'cover'
  | 'data'
  | 'subtitles'
  | 'two pictures'
  | 'unknown first';
export type Sound =
  | 'in time'
  | 'late 1 s'
  | 'late 6 s'
  | 'gap'
  | 'gap 5 s'
  | 'gap 80 ms'
  | 'out of phase'
  | 'ends early'
  | 'surround'
  | 'none';

/** The properties of a clip. */
export interface ClipSpec {
  container: Container;
  video: VideoCodec;
  audio: AudioCodec;
  /** The turn that players apply. The stored pictures have the opposite turn. */
  turn: Turn;
  edit: Edit;
  /** The pixel aspect ratio. */
  pixels: '1:1' | '4:3' | '8:9';
  colour: Colour;
  /** The stored size in pixels, before the turn. */
  size: `${number}x${number}`;
  rate: 'constant' | 'variable';
  tracks: Tracks;
  sound: Sound;
  /** The percentage of the file's bytes that remain. */
  cut: 50 | 90 | 99 | 100;
  /** The number of pictures, 25 a second. */
  frames: number;
  /** The number of pictures from one key frame to the next. */
  keyEvery: number;
  index: 'front' | 'back';
  /** A change of the file that no muxer can make. */
  surgery: 'none' | 'two descriptions' | 'two edits';
}

export const PLAIN: ClipSpec = {
  container: 'mp4',
  video: 'h264',
  audio: 'aac',
  turn: 0,
  edit: 'none',
  pixels: '1:1',
  colour: 'bt601',
  size: '320x180',
  rate: 'constant',
  tracks: 'picture first',
  sound: 'in time',
  cut: 100,
  frames: 100,
  keyEvery: 50,
  index: 'front',
  surgery: 'none',
};

export const FRAME_RATE = 25;
/** The duration of the pictures that an edit list hides, in seconds. */
export const HIDDEN_SEC = 1.6;
/** The delay of a late picture after the sound, in seconds. */
export const LATE_PICTURE_SEC = 0.6;
/** The ranges without any sound bytes, in seconds. */
export const GAPS: Partial<Record<Sound, [number, number]>> = {
  gap: [1, 3],
  'gap 5 s': [1, 6],
  'gap 80 ms': [1, 1.08],
};
/** The start of the sound, in seconds. */
export const LATE_SEC: Partial<Record<Sound, number>> = { 'late 1 s': 1, 'late 6 s': 6 };
export const EARLY_END_SEC = 2.4;

export const isMp4 = ({ container }: Pick<ClipSpec, 'container'>): boolean =>
  ['mp4', 'mov', 'fmp4', '3gp'].includes(container);
export const isMatroska = ({ container }: Pick<ClipSpec, 'container'>): boolean =>
  ['webm', 'webm file', 'mkv'].includes(container);
export const isHdr = ({ colour }: Pick<ClipSpec, 'colour'>): boolean => colour === 'hlg' || colour === 'pq';
export const isSideways = ({ turn }: Pick<ClipSpec, 'turn'>): boolean => turn === 90 || turn === 270;

/** Returns the stored width and height of the pictures. */
export function storedSize({ size }: Pick<ClipSpec, 'size'>): [number, number] {
  const [width, height] = size.split('x').map(Number);
  return [width!, height!];
}
