/** Containers that the stored video can have. */
export type Container = 'webm' | 'mp4' | 'matroska';

const WEBM_VIDEO = new Set(['vp8', 'vp9', 'av1']);
const WEBM_AUDIO = new Set(['', 'opus', 'vorbis']);
const MP4_VIDEO = new Set(['h264', 'hevc', 'av1', 'vp9', 'mpeg4']);
const MP4_AUDIO = new Set(['', 'aac', 'opus', 'mp3', 'ac3', 'eac3', 'alac', 'flac']);

export const EXTENSION: Record<Container, string> = { webm: 'webm', mp4: 'mp4', matroska: 'mkv' };
export const MIME_TYPE: Record<Container, string> = {
  webm: 'video/webm',
  mp4: 'video/mp4',
  matroska: 'video/x-matroska',
};

/** Returns the container of a file: WebM is Matroska with the codecs that WebM allows (one reader serves both). */
export function sourceContainer(format: string, videoCodec: string, audioCodec: string): Container {
  if (!format.split(',').includes('matroska')) return 'mp4';
  return WEBM_VIDEO.has(videoCodec) && WEBM_AUDIO.has(audioCodec) ? 'webm' : 'matroska';
}

/** Returns the container that can hold these codecs unchanged: the source's own where it can, else Matroska, which holds all. */
export function storedContainer(source: string, videoCodec: string, audioCodec: string): Container {
  if (source === 'webm') return 'webm';
  if (source === 'mp4' && MP4_VIDEO.has(videoCodec) && MP4_AUDIO.has(audioCodec)) return 'mp4';
  return 'matroska';
}
