/** Containers that browsers and phones record. */
const FORMATS = 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm';
// 8K, plus the padding of codecs.
const MAX_PIXELS = 36_000_000;

/**
 * Returns the options that precede an untrusted input: ffmpeg and ffprobe read only that file or pipe, and nothing it points to, as one
 * of a few containers, with a picture of at most 8K.
 */
export const safeInputOptions = (protocol: 'file' | 'pipe'): string[] => [
  ...['-protocol_whitelist', protocol],
  ...['-format_whitelist', FORMATS],
  ...['-max_pixels', String(MAX_PIXELS)],
];
