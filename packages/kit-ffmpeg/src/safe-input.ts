/** Containers that browsers and phones record. */
const FORMATS = 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm';
// 8K, plus the padding of codecs.
const MAX_PIXELS = 36_000_000;

/**
 * Returns the options that must precede an untrusted input. With them, ffmpeg and ffprobe read only this file or pipe,
 * and no file that it refers to. They accept only a few containers, and pictures of at most 8K.
 */
export const safeInputOptions = (protocol: 'file' | 'pipe'): string[] => [
  ...['-protocol_whitelist', protocol],
  ...['-format_whitelist', FORMATS],
  ...['-max_pixels', String(MAX_PIXELS)],
];
