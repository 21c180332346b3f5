import { open } from 'node:fs/promises';
import { boxAt, bytesAt } from './mp4-boxes.ts';

/** The offset in `stsz` of the common sample size (or 0). The number of samples follows it. */
const SAMPLE_SIZE_AT = 4;
const SAMPLE_COUNT_AT = 8;
const SAMPLE_TABLE_AT = 12;
const TO_SAMPLE_SIZES = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsz'];

/**
 * Returns whether an .m4a from ffmpeg is complete: it has all bytes of every box, media, and an index that lists
 * samples. A truncated file lacks the index, or the end of the media when the index is at the front. Reads headers
 * only.
 */
export async function isWholeM4a(path: string): Promise<boolean> {
  await using file = await open(path);
  const whole = { from: 0, to: (await file.stat()).size };
  const media = await boxAt(file, whole, ['mdat']);
  const sizes = await boxAt(file, whole, TO_SAMPLE_SIZES);
  if (!media || media.to === media.from || !sizes || sizes.to - sizes.from < SAMPLE_TABLE_AT) return false;
  const header = await bytesAt(file, sizes.from, SAMPLE_TABLE_AT);
  const count = header.readUInt32BE(SAMPLE_COUNT_AT);
  const tableBytes = header.readUInt32BE(SAMPLE_SIZE_AT) === 0 ? count * 4 : 0;
  return count > 0 && sizes.to - sizes.from === SAMPLE_TABLE_AT + tableBytes;
}
