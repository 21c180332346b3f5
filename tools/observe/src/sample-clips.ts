import { begin, sendClip } from '@recording-request/demo/contributor';
import { type Clip, makeClip } from '@recording-request/fixtures/clip';
import { ok, send } from '@recording-request/harness/http-client';
import { ensure } from '@recording-request/stack/install/ensure';
import type { Log } from '@recording-request/stack/log';

const SPOKEN = [
  'Hello, my name is Anna. I have used the new camera for three weeks.',
  'Good morning. We work in a small office in the city.',
  'The most important thing is to listen to the people who use it every day.',
];
const READS = 10;

/** The receiver of the sample clips, and the owner who reads them. */
export interface SampleTarget {
  sharedUrl: string;
  projectId: string;
  baseUrl: string;
  apiToken: string;
}

/**
 * Records three clips in sequence through the sample project's link, and reads the clips as an owner does. Returns
 * their ids.
 */
export async function recordSampleClips(
  target: SampleTarget,
  dir: string,
  log: Log,
  signal: AbortSignal,
): Promise<string[]> {
  await ensure(['ffmpeg', 'flite'], log, { signal });
  const ids: string[] = [];
  for (const [index, text] of SPOKEN.entries()) {
    const clip: Clip = await makeClip({ dir, container: index % 2 === 0 ? 'webm' : 'mp4', text });
    const { submissionId } = await sendClip(await begin(target.sharedUrl, signal), clip, signal);
    ids.push(submissionId);
    await readAsOwner(target, signal);
  }
  return ids;
}

async function readAsOwner({ baseUrl, apiToken, projectId }: SampleTarget, signal: AbortSignal): Promise<void> {
  for (let read = 0; read < READS; read++) {
    for (const path of ['', '/submissions']) {
      ok(await send(`${baseUrl}/api/projects/${projectId}${path}`, { token: apiToken, signal }));
    }
  }
}
