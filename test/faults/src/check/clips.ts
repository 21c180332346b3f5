import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import { isOptionalEvent } from '@recording-request/contract/webhook-events';
import type { Entry } from '../contributors/ledger.ts';
import type { Project } from '../owner/owner.ts';
import type { Receiver } from '../owner/receiver.ts';
import type { Expectations } from './expectations.ts';

/**
 * Checks four rules. Each take with the outcome `ok` exists once, unless it was erased. Each `unknown` take exists at
 * most once. No `failed` take exists. There are no other clips.
 */
export function takeViolations(submissions: SubmissionJson[], entries: Entry[]): string[] {
  const violations: string[] = [];
  const found = new Map<string, SubmissionJson[]>();
  for (const submission of submissions) {
    const key = submission.sha256 ?? '';
    found.set(key, [...(found.get(key) ?? []), submission]);
  }
  for (const entry of entries) {
    const mine = found.get(entry.take.sha256) ?? [];
    found.delete(entry.take.sha256);
    const name = `the take ${entry.take.sha256.slice(0, 12)} (response ${entry.responseSessionId}, ${entry.outcome}${entry.why && `: ${entry.why}`})`;
    if (entry.erased && mine.length > 0) violations.push(`${name} was erased but exists`);
    if (entry.outcome === 'ok' && !entry.erased && mine.length !== 1)
      violations.push(`${name} exists ${mine.length} times, not once`);
    if (entry.outcome === 'unknown' && mine.length > 1) violations.push(`${name} exists ${mine.length} times`);
    if (entry.outcome === 'failed' && mine.length > 0) violations.push(`${name} was refused but exists`);
    if (mine.some(({ projectId }) => projectId !== entry.projectId)) violations.push(`${name} is in another project`);
    if (entry.outcome === 'ok' && entry.submissionId && mine[0] && mine[0].submissionId !== entry.submissionId)
      violations.push(`${name} was reported as submission ${entry.submissionId} but is ${mine[0].submissionId}`);
  }
  for (const [sha256, strangers] of found)
    violations.push(
      `submission ${strangers[0]!.submissionId} has bytes that no client sent (${sha256.slice(0, 12) || 'no hash'})`,
    );
  return violations;
}

/** Checks that media and transcripts are final, and as complete as their clips allow. */
export function endViolations(
  submissions: SubmissionJson[],
  project: Project,
  entries: Entry[],
  expected: Expectations,
): string[] {
  const violations: string[] = [];
  const takes = new Map(entries.map(entry => [entry.take.sha256, entry.take]));
  for (const { submissionId, mediaStatus, mediaError, transcriptStatus, transcriptError, sha256 } of submissions) {
    if (mediaStatus === 'processing') violations.push(`the media of ${submissionId} is not final`);
    if (mediaStatus === 'failed' && !expected.mediaMayFail)
      violations.push(`the media of ${submissionId} failed (${mediaError})`);
    if (transcriptStatus === 'pending' || transcriptStatus === 'processing')
      violations.push(`the transcript of ${submissionId} is not final (${transcriptStatus})`);
    if (transcriptStatus === 'failed' && !expected.transcriptMayFail)
      violations.push(`the transcript of ${submissionId} failed (${transcriptError})`);
    const isDue = project.transcription && takes.get(sha256 ?? '')?.speaks;
    if (isDue && (transcriptStatus === 'disabled' || transcriptStatus === null))
      violations.push(`${submissionId} has speech but no transcript (${transcriptStatus})`);
  }
  return violations;
}

/**
 * Checks that the receiver has one `submission.completed` for each submission, one event for each ended transcript, and no
 * others.
 */
export function eventViolations(submissions: SubmissionJson[], receiver: Receiver, entries: Entry[] = []): string[] {
  const violations = [...receiver.violations];
  const heard = new Map<string, string[]>();
  for (const { id, type, submissionId } of receiver.events.values()) {
    // A case whose projects request optional events checks these itself.
    if (isOptionalEvent(type)) continue;
    const key = `${type.replace(/completed$|failed$/, 'ended')} ${submissionId}`;
    heard.set(key, [...(heard.get(key) ?? []), id]);
  }
  const expect = (key: string, times: number, what: string) => {
    const ids = heard.get(key) ?? [];
    heard.delete(key);
    if (ids.length !== times)
      violations.push(`${what}: ${ids.length} distinct events reached the receiver, not ${times}`);
  };
  for (const { submissionId, transcriptStatus } of submissions) {
    expect(`submission.ended ${submissionId}`, 1, `submission.completed of ${submissionId}`);
    const ended = transcriptStatus === 'completed' || transcriptStatus === 'failed';
    expect(`submission.transcript.ended ${submissionId}`, ended ? 1 : 0, `the transcript's event of ${submissionId}`);
  }
  // Events about an erased clip that were sent before the erasure stay valid.
  const erased = new Set(entries.filter(entry => entry.erased).map(({ submissionId }) => submissionId));
  for (const key of heard.keys())
    if (!erased.has(key.slice(key.indexOf(' ') + 1)))
      violations.push(`the receiver got an event about a missing submission: ${key}`);
  return violations;
}
