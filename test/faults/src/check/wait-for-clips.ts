import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import { waitFor } from '@recording-request/stack/wait';
import type { Entry } from '../contributors/ledger.ts';
import type { Harness } from '../harness/harness.ts';

/** The submissions that these takes became. */
export async function submissionsOf(harness: Harness, entries: Entry[]): Promise<SubmissionJson[]> {
  const hashes = new Set(entries.map(({ take }) => take.sha256));
  const projects = [...new Set(entries.map(({ projectId }) => projectId))];
  const all = await Promise.all(projects.map(projectId => harness.owner.submissions(projectId)));
  return all.flat().filter(({ sha256 }) => hashes.has(sha256 ?? ''));
}

const OPEN = new Set(['processing', 'pending']);

/** Waits until each clip's media or transcript is final; a violation says how many are not in time. */
export async function ended(
  harness: Harness,
  entries: Entry[],
  what: 'media' | 'transcript',
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
): Promise<void> {
  let open = entries.length;
  const look = async () => {
    const mine = await submissionsOf(harness, entries);
    const states = mine.map(it => (what === 'media' ? it.mediaStatus : it.transcriptStatus));
    open = entries.length - states.filter(state => !OPEN.has(state ?? '')).length;
    return open === 0 ? true : undefined;
  };
  const wait = { timeoutMs: limitMs, checkMs: 10_000, intervalMs: 2_000, signal };
  await waitFor(`the ${what} of every clip`, look, wait).catch(() => {
    signal.throwIfAborted();
    harness.violated(`${open} of ${entries.length} clips have no final ${what} after ${limitMs / 1_000} s`);
  });
}
