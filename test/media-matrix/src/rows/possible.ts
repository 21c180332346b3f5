/** Decides which properties of a clip can be combined. All other combinations are impossible or have no meaning. */
import {
  type AudioCodec,
  type ClipSpec,
  type Colour,
  type Container,
  isHdr,
  isMatroska,
  isMp4,
  type Sound,
  type VideoCodec,
} from '../clip/spec.ts';

const VIDEO: Record<Container, VideoCodec[]> = {
  webm: ['vp8', 'vp9', 'av1'],
  'webm file': ['vp8', 'vp9', 'av1'],
  mkv: ['h264', 'hevc', 'vp8', 'vp9', 'av1', 'mpeg4', 'mjpeg', 'prores'],
  mp4: ['h264', 'hevc', 'vp9', 'av1', 'mpeg4'],
  mov: ['h264', 'hevc', 'prores', 'mjpeg', 'mpeg4'],
  fmp4: ['h264', 'hevc', 'vp9', 'av1'],
  '3gp': ['h264', 'h263', 'mpeg4'],
  avi: ['h264', 'mpeg4', 'mjpeg'],
  ts: ['h264'],
};
const AUDIO: Record<Container, AudioCodec[]> = {
  webm: ['opus', 'vorbis', 'none'],
  'webm file': ['opus', 'vorbis', 'none'],
  mkv: ['opus', 'aac', 'pcm', 'mp3', 'flac', 'vorbis', 'ac3', 'none'],
  mp4: ['aac', 'opus', 'mp3', 'alac', 'flac', 'ac3', 'none'],
  mov: ['aac', 'pcm', 'alac', 'ima', 'mp3', 'none'],
  fmp4: ['aac', 'opus', 'flac', 'none'],
  '3gp': ['aac', 'amr', 'none'],
  avi: ['mp3', 'pcm'],
  ts: ['aac'],
};
/** The colours that a codec's stream or container can state. */
const COLOURS: Record<VideoCodec, Colour[]> = {
  h264: ['untagged', 'bt601', 'bt709', 'full'],
  hevc: ['untagged', 'bt601', 'bt709', 'full', 'hlg', 'pq'],
  vp8: ['untagged', 'bt601', 'bt709'],
  vp9: ['untagged', 'bt601', 'bt709', 'hlg', 'pq'],
  av1: ['untagged', 'bt601', 'bt709', 'hlg', 'pq'],
  mpeg4: ['untagged', 'bt601'],
  h263: ['untagged', 'bt601'],
  mjpeg: ['untagged', 'bt601'],
  prores: ['untagged', 'bt601'],
};
/** The codecs for sounds that need several channels or gaps. */
const SOUNDS: Partial<Record<Sound, AudioCodec[]>> = {
  'out of phase': ['aac', 'opus', 'vorbis', 'pcm', 'mp3', 'alac', 'flac', 'ac3', 'ima'],
  surround: ['aac', 'opus', 'vorbis', 'flac', 'ac3'],
  gap: ['aac', 'opus', 'vorbis', 'mp3', 'flac', 'alac'],
  'gap 5 s': ['aac', 'opus', 'vorbis', 'mp3', 'flac', 'alac'],
  'gap 80 ms': ['aac', 'opus', 'vorbis', 'mp3', 'flac', 'alac'],
};

export function isPossible(spec: ClipSpec): boolean {
  const { container, video, audio, sound, tracks, edit, turn, colour, pixels, rate } = spec;
  if (!VIDEO[container].includes(video) || !AUDIO[container].includes(audio)) return false;
  if ((audio === 'none') !== (sound === 'none')) return false;
  if (!COLOURS[video].includes(colour)) return false;
  if (audio === 'amr' && sound === 'ends early') return false;
  if (SOUNDS[sound] && !SOUNDS[sound].includes(audio)) return false;
  // In Matroska, this suite writes the turn over the colour, so a clip cannot have both.
  if (turn !== 0 && isMatroska(spec) && (turn === 'mirrored' || colour !== 'bt601' || video === 'mjpeg')) return false;
  if (turn !== 0 && !isMp4(spec) && !isMatroska(spec)) return false;
  if (edit === 'hidden start' && (!isMp4(spec) || container === 'fmp4' || rate === 'variable')) return false;
  // ffmpeg shows AV1 pictures that should be hidden, and loses the sound after a gap that is partly hidden.
  if (edit === 'hidden start' && (video === 'av1' || sound.startsWith('gap'))) return false;
  if (edit === 'late picture' && sound.startsWith('late')) return false;
  if (edit === 'late picture' && (audio === 'none' || ['h263', 'mpeg4'].includes(video))) return false;
  if (pixels !== '1:1' && ['h263', 'mpeg4'].includes(video)) return false;
  if (rate === 'variable' && ['h263', 'mpeg4', 'prores'].includes(video)) return false;
  if (isHdr(spec) && isMatroska(spec) && video === 'mjpeg') return false;
  return haveTracks(spec, tracks);
}

function haveTracks({ container, audio, edit, sound }: ClipSpec, tracks: ClipSpec['tracks']): boolean {
  const hasWords = audio !== 'none' && audio !== 'amr';
  switch (tracks) {
    case 'picture first':
      return true;
    case 'sound first':
      return audio !== 'none';
    case 'silent first':
    case 'two sounds':
      return hasWords && audio !== 'ima';
    case 'cover':
      return container === 'mp4' && edit !== 'hidden start';
    case 'data':
      return (container === 'mp4' || container === 'mov') && edit !== 'hidden start';
    case 'subtitles':
      return ['mp4', 'mov', 'mkv'].includes(container) && edit === 'none';
    case 'unknown first':
      return container === 'mov' && hasWords && audio !== 'ima' && sound === 'in time';
    case 'two pictures':
      return container === 'mov' || container === 'mkv';
  }
}
