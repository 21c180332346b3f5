import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clip, type ClipOptions, makeClip } from '@recording-request/fixtures/clip';

/** The folder for test clips: each clip is made once per machine. */
export const CLIPS = join(tmpdir(), 'recording-request-clips');

export interface TestClip extends Clip {
  bytes: Buffer<ArrayBuffer>;
}

/** Makes a clip, or reuses the clip with the same options, and reads it. */
export async function testClip(options: Omit<ClipOptions, 'dir'>): Promise<TestClip> {
  const clip = await makeClip({ dir: CLIPS, ...options });
  return { ...clip, bytes: await readFile(clip.path) };
}
