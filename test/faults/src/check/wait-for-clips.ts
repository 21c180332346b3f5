import { setTimeout as delay } from 'node:timers/promises';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import { waitFor } from '@recording-request/stack/wait';
import type { Entry } from '../contributors/ledger.ts';
import type { Harness } from '../harness/harness.ts';

/** Returns the submissions of these takes. */
export async function submissionsOf(harness: Harness, entries: Entry[]): Promise<SubmissionJson[]> {
  const hashes = new Set(entries.map(({ take }) => take.sha256));
  const projects = [...new Set(entries.map(({ projectId }) => projectId))];
  const all = await Promise.all(projects.map(projectId => harness.owner.submissions(projectId)));
  return all.flat().filter(({ sha256 }) => hashes.has(sha256 ?? ''));
}

const OPEN = new Set(['processing', 'pending']);

/**
 * Waits until the media or the transcript of each clip is final. After the limit, reports a violation with the number
 * of late clips.
 */
export async function ended(
  harness: Harness,
  entries: Entry[],
  what: 'media' | 'transcript',
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
): Promise<void> {
  let open = entries.length;
  let tookMs = 0;
  const until = Date.now() + limitMs;
  const look = async (end: AbortSignal) => {
    // Waits between the reads, because listing large clips is load too.
    await delay(tookMs, undefined, { signal: end }).catch(() => {});
    const began = Date.now();
    const mine = await inTime(submissionsOf(harness, entries), until - Date.now());
    tookMs = Date.now() - began;
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

/** Rejects after `ms` milliseconds; the owner itself would retry a request for minutes. */
async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('no answer in time')), Math.max(0, ms));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
