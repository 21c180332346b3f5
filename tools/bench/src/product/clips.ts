import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeClip } from '@recording-request/fixtures/clip';
import type { File } from './product.ts';

/** The folder for the clips of all runs and tests; each clip is made once per machine. */
export const CLIPS = join(tmpdir(), 'recording-request-clips');

/** The bytes of a clip per second. Every picture is a key frame, so that ffmpeg reads the clip as fast as possible. */
const BYTES_PER_SECOND = 5e6 / 2.6;
const PICTURE = { width: 1920, height: 1080, frameRate: 25, keyFrameSec: 1 / 25 };

export async function clipOf(bytes: number): Promise<File> {
  const seconds = Math.round((10 * bytes) / BYTES_PER_SECOND) / 10;
  const { path, mimeType } = await makeClip({ dir: CLIPS, container: 'mp4', audio: 'none', seconds, ...PICTURE });
  return { path, mimeType, bytes: (await stat(path)).size };
}
