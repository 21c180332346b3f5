/** Even the smallest container that has a header, one track and one picture is larger. */
export const SMALLEST_VIDEO_BYTES = 64;

// Matroska and WebM.
const EBML = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);
// The boxes that can begin an MP4 or QuickTime file.
const FIRST_BOXES = new Set(
  'ftyp styp moov moof mdat sidx ssix prft emsg meta wide free skip junk pnot pict PICT udta uuid prfl'.split(' '),
);
const FRAGMENT_BOXES = new Set('styp moof sidx ssix prft emsg'.split(' '));
const BOX_HEAD_BYTES = 8;
const LOOKED_AT_BYTES = 4_096;
const UNKNOWN_BOX_BYTES = 1024 ** 2;

// The element of the EBML header that names the format: first its id, then its length in one byte.
const DOC_TYPE = Buffer.from([0x42, 0x82]);
const EBML_HEADER_BYTES = 64;
const BOX_TYPE = { start: 4, end: 8 };
const BRAND = { start: 8, end: 12 };

/** Returns the media type that a file's first bytes show; undefined when they show none. */
export function mimeTypeOfFirst(bytes: Buffer): string | undefined {
  if (bytes.length < SMALLEST_VIDEO_BYTES) return undefined;
  if (bytes.subarray(0, EBML.length).equals(EBML)) return mimeTypeOfEbml(bytes.subarray(0, EBML_HEADER_BYTES));
  const type = bytes.toString('latin1', BOX_TYPE.start, BOX_TYPE.end);
  if (!FIRST_BOXES.has(type)) return undefined;
  // Only MP4 has fragments. A file without a brand is QuickTime, because QuickTime is older than brands.
  if (type !== 'ftyp') return FRAGMENT_BOXES.has(type) ? 'video/mp4' : 'video/quicktime';
  const brand = bytes.toString('latin1', BRAND.start, BRAND.end);
  if (brand === 'qt  ') return 'video/quicktime';
  return /^3g/.test(brand) ? 'video/3gpp' : 'video/mp4';
}

function mimeTypeOfEbml(header: Buffer): string | undefined {
  const at = header.indexOf(DOC_TYPE) + DOC_TYPE.length;
  if (at < DOC_TYPE.length) return undefined;
  const length = (header[at] ?? 0) & 0x7f;
  const docType = header.toString('latin1', at + 1, at + 1 + length);
  if (docType === 'webm') return 'video/webm';
  return docType === 'matroska' ? 'video/x-matroska' : undefined;
}

/**
 * Returns whether a file that begins with these bytes may be a video of a known container. Only ffprobe can confirm
 * this. Skips small unknown boxes. Returns true when there are too few bytes to decide.
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
