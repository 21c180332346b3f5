import { durationOf } from '@recording-request/kit/telemetry/metrics';
import type { Submission } from '../domain/submission.ts';

const mediaDelay = durationOf('recording.media.delay');
const transcriptDelay = durationOf('recording.transcript.delay');
const sinceLanding = ({ createdAt }: Submission): number => Math.max(0, Date.now() - createdAt.getTime()) / 1_000;

/** Notes how long after its landing a clip has its media, or will have none. */
export function noteMediaDelay(submission: Submission | undefined): void {
  if (submission?.mediaStatus === 'ready') mediaDelay(sinceLanding(submission), { 'recording.outcome': 'ok' });
  if (submission?.mediaStatus === 'failed') mediaDelay(sinceLanding(submission), { 'recording.outcome': 'failed' });
}

/** The same of its transcript. */
export function noteTranscriptDelay(submission: Submission | undefined): void {
  const status = submission?.transcriptStatus;
  if (status !== 'completed' && status !== 'failed') return;
  transcriptDelay(sinceLanding(submission!), { 'recording.outcome': status === 'completed' ? 'ok' : 'failed' });
}
