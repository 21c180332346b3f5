import type { SubmissionJson, SubmissionsPageJson } from '@recording-request/contract/resources/submission';
import type { Harness } from '@recording-request/fault-test/harness/harness';
import { waitFor } from '@recording-request/stack/wait';
import type { AcceptedClip } from './load.ts';

type State = 'waiting' | 'complete' | 'failed';

interface Limits {
  limitMs: number;
  signal: AbortSignal;
}

/**
 * Waits until the clips have their media and transcripts. Rejects if one has permanently failed, and after `limitMs`.
 */
export async function processed(harness: Harness, clips: readonly AcceptedClip[], { limitMs, signal }: Limits) {
  let states: State[] = [];
  const look = async () => {
    states = (await submissionsOf(harness, clips)).map(stateOf);
    return states.includes('waiting') ? undefined : true;
  };
  await waitFor('the media of each clip', look, { timeoutMs: limitMs, checkMs: 10_000, intervalMs: 1_000, signal });
  const failed = states.filter(state => state === 'failed').length;
  if (failed > 0) throw new Error(`${failed} of ${clips.length} clips stay without media or transcript`);
}

/** Waits until the owners' endpoints have an event about each clip. Rejects after `limitMs`. */
export async function delivered(harness: Harness, clips: readonly AcceptedClip[], { limitMs, signal }: Limits) {
  const look = async () => {
    const submissions = await submissionsOf(harness, clips);
    const told = new Set([...harness.receiver.events.values()].map(({ submissionId }) => submissionId));
    return submissions.every(clip => clip && told.has(clip.submissionId)) || undefined;
  };
  await waitFor('the event about each clip', look, { timeoutMs: limitMs, checkMs: 10_000, intervalMs: 1_000, signal });
}

/** Returns the submission of each clip, if it is among the newest hundred of its project. */
async function submissionsOf(
  { owner }: Harness,
  clips: readonly AcceptedClip[],
): Promise<(SubmissionJson | undefined)[]> {
  const found = new Map<string | null, SubmissionJson>();
  for (const projectId of new Set(clips.map(clip => clip.projectId))) {
    const answer = await owner.ask(`/api/projects/${projectId}/submissions?limit=100`);
    if (answer.status !== 200) throw new Error(answer.what);
    const { submissions }: SubmissionsPageJson = answer.json();
    for (const submission of submissions) found.set(submission.sha256, submission);
  }
  return clips.map(({ sha256 }) => found.get(sha256));
}

const OPEN = new Set<string | null>(['pending', 'processing']);

/** A clip that does not exist yet still lands. */
function stateOf(clip: SubmissionJson | undefined): State {
  if (!clip) return 'waiting';
  if (clip.mediaStatus === 'failed' || clip.transcriptStatus === 'failed') return 'failed';
  return OPEN.has(clip.mediaStatus) || OPEN.has(clip.transcriptStatus) ? 'waiting' : 'complete';
}
