/** Containers that browsers and phones record. */
const FORMATS = 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm';
// 8K, and what codecs add to fill their blocks.
const MAX_PIXELS = 36_000_000;

/**
 * Returns the options for an input from outside, which stand before it: ffmpeg and ffprobe read that file, or what comes
 * through their pipe, and nothing it points to, as one of a few containers, with a picture of at most 8K.
 */
export const safeInputOptions = (protocol: 'file' | 'pipe'): string[] => [
  ...['-protocol_whitelist', protocol],
  ...['-format_whitelist', FORMATS],
  ...['-max_pixels', String(MAX_PIXELS)],
];
