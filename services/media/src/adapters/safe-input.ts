/**
 * Options for every input from outside: ffmpeg and ffprobe read that file and nothing it points to, as one of the
 * containers that browsers and phones record, with a picture of at most 3840 × 2160. They stand before the input.
 */
export const SAFE_INPUT_OPTIONS = [
  ...['-protocol_whitelist', 'file'],
  ...['-format_whitelist', 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm'],
  ...['-max_pixels', String(3840 * 2160)],
] as const;
