/** The possible containers of the stored video. */
export type Container = 'webm' | 'mp4' | 'mov';

const WEBM_VIDEO = new Set(['vp8', 'vp9', 'av1']);
const WEBM_AUDIO = new Set(['opus', 'vorbis']);
const MP4_VIDEO = new Set(['h264', 'hevc', 'av1', 'vp9', 'mpeg4']);
const MP4_AUDIO = new Set(['aac', 'opus', 'mp3', 'ac3', 'eac3', 'alac', 'flac']);

export const MIME_TYPE: Record<Container, string> = {
  webm: 'video/webm',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
};

interface Coded {
  kind: string;
  codec: string;
}

const canHold = (video: Set<string>, audio: Set<string>, tracks: readonly Coded[]) =>
  tracks.every(({ kind, codec }) => (kind === 'video' ? video : audio).has(codec));

/** Returns the container of a file: WebM is Matroska with WebM's codecs (one demuxer reads both). */
export function sourceContainer(format: string, tracks: readonly Coded[]): string {
  if (!format.split(',').includes('matroska')) return 'mp4';
  return canHold(WEBM_VIDEO, WEBM_AUDIO, tracks) ? 'webm' : 'matroska';
}

/**
 * Returns the container for an unchanged copy of these tracks. MOV supports most codecs that MP4 does not, and keeps
 * rotation, hidden pictures and raw sound, which Matroska loses. If MOV does not support one of the tracks either, the
 * service makes no copy.
 */
export function storedContainer(source: string, tracks: readonly Coded[]): Container {
  if (source === 'webm') return 'webm';
  return canHold(MP4_VIDEO, MP4_AUDIO, tracks) ? 'mp4' : 'mov';
}
