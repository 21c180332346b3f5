/** The header, one track and one picture of the smallest containers take more. */
export const SMALLEST_VIDEO_BYTES = 64;

// Matroska and WebM.
const EBML = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);
// The boxes with which MP4 and QuickTime files begin.
const FIRST_BOXES = new Set(
  'ftyp styp moov moof mdat sidx ssix prft emsg meta wide free skip junk pnot pict PICT udta uuid prfl'.split(' '),
);
const BOX_HEAD_BYTES = 8;
const LOOKED_AT_BYTES = 4_096;
const UNKNOWN_BOX_BYTES = 1024 ** 2;

/**
 * Returns whether a file that begins with these bytes may be a video of a known container: only ffprobe can tell that it is one. Passes
 * over small boxes that it does not know, and answers true where there are too few bytes to tell.
 */
export function mayBeVideo(bytes: Buffer): boolean {
  const head = bytes.subarray(0, LOOKED_AT_BYTES);
  if (head.length < SMALLEST_VIDEO_BYTES || head.subarray(0, EBML.length).equals(EBML)) return true;
  for (let at = 0; at + BOX_HEAD_BYTES <= head.length; ) {
    if (FIRST_BOXES.has(head.toString('latin1', at + 4, at + BOX_HEAD_BYTES))) return true;
    const size = head.readUInt32BE(at);
    if (size < BOX_HEAD_BYTES || size > UNKNOWN_BOX_BYTES) return false;
    at += size;
  }
  return true;
}
