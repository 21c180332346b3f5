import { join } from 'node:path';
import { BASE_FRAMES, BEATS_SEC, exists, WORD_SEC, writeWhole } from './base.ts';
import { FRAME_RATE } from './spec.ts';

const FRAME_SEC = 0.02;
/** The frame header for 12.2 kbit/s with a good-quality flag. */
const HEADER = 0x3c;
const BYTES = 31;

/**
 * Makes an AMR file with noise at the beats, and returns its path. ffmpeg has no AMR encoder, so loud frames have random bits and
 * silent frames have zeros.
 */
export async function amrFile(dir: string): Promise<string> {
  const path = join(dir, 'sound.amr');
  if (await exists(path)) return path;
  let seed = 12_345;
  const random = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed >>> 24;
  };
  const frames = Array.from({ length: Math.round(BASE_FRAMES / FRAME_RATE / FRAME_SEC) }, (_, at) => {
    const sec = at * FRAME_SEC;
    const isLoud = BEATS_SEC.some(beat => sec >= beat - FRAME_SEC / 2 && sec < beat + WORD_SEC);
    return Buffer.from([HEADER, ...Array.from({ length: BYTES }, () => (isLoud ? random() : 0))]);
  });
  await writeWhole(path, Buffer.concat([Buffer.from('#!AMR\n'), ...frames]));
  return path;
}
