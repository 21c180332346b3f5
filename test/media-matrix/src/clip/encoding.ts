/** ffmpeg options for the codecs, colours and shapes of a clip. */
import {
  type AudioCodec,
  type ClipSpec,
  type Colour,
  isHdr,
  isSideways,
  LATE_PICTURE_SEC,
  storedSize,
  type Turn,
  type VideoCodec,
} from './spec.ts';

const x264 = (keyEvery: number) => [
  '-c:v',
  'libx264',
  '-preset',
  'superfast',
  '-crf',
  '20',
  '-bf:v:0',
  '2',
  ...gop(keyEvery),
];
const gop = (keyEvery: number) => ['-g', String(keyEvery), '-keyint_min', String(keyEvery), '-sc_threshold', '0'];
const vpx = (codec: string, keyEvery: number) => [
  ...['-c:v', codec, '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '1M', '-qmin', '2', '-qmax', '24'],
  ...['-g', String(keyEvery), '-keyint_min', String(keyEvery)],
];

/** ffmpeg's names of each colour's matrix, transfer and primaries. */
const TAGS: Record<Colour, string[] | undefined> = {
  untagged: undefined,
  bt601: ['smpte170m', 'smpte170m', 'smpte170m', 'tv'],
  bt709: ['bt709', 'bt709', 'bt709', 'tv'],
  full: ['bt709', 'bt709', 'bt709', 'pc'],
  hlg: ['bt2020nc', 'arib-std-b67', 'bt2020', 'tv'],
  pq: ['bt2020nc', 'smpte2084', 'bt2020', 'tv'],
};

/** Returns true for JPEG, which has one fixed matrix and range. */
const isJpeg = ({ video }: ClipSpec) => video === 'mjpeg';

export function videoEncoding(spec: ClipSpec): string[] {
  const tags = TAGS[spec.colour];
  const [matrix, transfer, primaries, range] = tags ?? [];
  const tagged = tags
    ? ['-colorspace', matrix!, '-color_trc', transfer!, '-color_primaries', primaries!, '-color_range', range!]
    : [];
  const x265 = ['log-level=none', `keyint=${spec.keyEvery}`, `min-keyint=${spec.keyEvery}`, 'scenecut=0', 'crf=20'];
  if (tags)
    x265.push(
      `colormatrix=${matrix}`,
      `transfer=${transfer}`,
      `colorprim=${primaries}`,
      `range=${range === 'pc' ? 'full' : 'limited'}`,
    );
  const codecs: Record<VideoCodec, string[]> = {
    h264: x264(spec.keyEvery),
    hevc: ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', x265.join(':'), '-tag:v:0', 'hvc1'],
    vp8: vpx('libvpx', spec.keyEvery),
    vp9: [...vpx('libvpx-vp9', spec.keyEvery), ...(isHdr(spec) ? ['-profile:v', '2'] : [])],
    av1: ['-c:v', 'libsvtav1', '-preset', '12', '-crf', '30', '-g', String(spec.keyEvery)],
    mpeg4: ['-c:v', 'mpeg4', '-q:v', '3', ...gop(spec.keyEvery).slice(0, 2)],
    h263: ['-c:v', 'h263', '-q:v', '3', ...gop(spec.keyEvery).slice(0, 2)],
    mjpeg: ['-c:v', 'mjpeg', '-q:v', '3'],
    prores: ['-c:v', 'prores_ks', '-profile:v', '0'],
  };
  const hvc1 = spec.container === 'mkv' ? codecs.hevc.slice(0, -2) : codecs.hevc;
  return [...(spec.video === 'hevc' ? hvc1 : codecs[spec.video]), ...(isJpeg(spec) ? [] : tagged)];
}

export const AUDIO_ENCODING: Record<Exclude<AudioCodec, 'none'>, string[]> = {
  aac: ['-c:a', 'aac', '-b:a', '96k'],
  opus: ['-c:a', 'libopus', '-b:a', '64k'],
  vorbis: ['-c:a', 'libvorbis', '-q:a', '4'],
  pcm: ['-c:a', 'pcm_s16le'],
  mp3: ['-c:a', 'libmp3lame', '-b:a', '96k'],
  alac: ['-c:a', 'alac'],
  flac: ['-c:a', 'flac'],
  ac3: ['-c:a', 'ac3', '-b:a', '192k'],
  ima: ['-c:a', 'adpcm_ima_qt'],
  amr: ['-c:a', 'copy'],
};

/** Filters that turn upright pictures to their stored orientation. */
const STORED_TURN: Record<Turn, string[]> = {
  0: [],
  90: ['transpose=cclock'],
  180: ['hflip', 'vflip'],
  270: ['transpose=clock'],
  mirrored: ['hflip'],
};

const pixelFormat = (spec: ClipSpec) => {
  if (isHdr(spec)) return 'yuv420p10le';
  if (spec.video === 'prores') return 'yuv422p10le';
  return isJpeg(spec) ? 'yuvj420p' : 'yuv420p';
};

/** Returns the filters that convert the base's pictures into the pictures to encode. */
export function videoFilters(spec: ClipSpec): string {
  const [width, height] = storedSize(spec);
  // From 720 lines on, players assume BT.709 for pictures without a tag.
  const hd = Math.min(width, height) >= 720 ? 'bt709' : 'bt601';
  const matrix = { untagged: hd, bt601: 'bt601', bt709: 'bt709', full: 'bt709', hlg: '', pq: '' }[spec.colour];
  const range = spec.colour === 'full' || isJpeg(spec) ? 'pc' : 'tv';
  const [, transfer] = TAGS[spec.colour] ?? [];
  const scale = `scale=${width}:${height}:flags=neighbor+accurate_rnd`;
  const to = isHdr(spec)
    ? [
        `${scale},format=gbrp`,
        `zscale=tin=bt709:pin=bt709:min=gbr:rin=full:t=${transfer}:p=2020:m=2020_ncl:r=limited:npl=203`,
      ]
    : [`${scale}:out_color_matrix=${isJpeg(spec) ? 'bt601' : matrix}:out_range=${range}`];
  const shape = spec.pixels === '1:1' ? [] : [`setsar=${spec.pixels.replace(':', '/')}`];
  const dropped = spec.rate === 'variable' ? ["select='not(eq(mod(n,5),2)+eq(mod(n,7),3))'"] : [];
  const late = spec.edit === 'late picture' ? [`setpts=PTS+${LATE_PICTURE_SEC}/TB`] : [];
  return [
    `trim=end_frame=${spec.frames}`,
    ...dropped,
    ...late,
    ...STORED_TURN[spec.turn],
    ...to,
    `format=${pixelFormat(spec)}`,
    ...shape,
  ].join(',');
}

/** Returns the display size of a clip's pictures. */
export function shownSize(spec: ClipSpec): [number, number] {
  const [width, height] = storedSize(spec);
  // H.263 has one pixel shape.
  const [across, along] = spec.video === 'h263' ? [12, 11] : spec.pixels.split(':').map(Number);
  const wide = (width * across!) / along!;
  return isSideways(spec) ? [height, wide] : [wide, height];
}
