import type { PictureSize } from './scan.ts';

// 8K, in either orientation.
const MAX_PIXELS = 7_680 * 4_320;
const MAX_SIDE = 8_192;

export const TOO_LARGE_PICTURE =
  'The picture of this video is too large: at most 8K is taken (33.2 million pixels, no side over 8,192); please record or choose another one.';

export const isTooLarge = ({ width, height }: PictureSize): boolean =>
  width * height > MAX_PIXELS || Math.max(width, height) > MAX_SIDE;
