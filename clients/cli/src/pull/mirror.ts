import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectDetail, Submission } from '@recording-request/client';
import { saveTo } from '@recording-request/client/files';
import { EXIT, Failure } from '../failures.ts';
import { plural, sizeText } from '../output.ts';
import { isMissing, type Mirror, mirrorClip } from './clip.ts';
import { describe, inside, move, remove } from './files.ts';
import { TABLE } from './layout.ts';
import { pool } from './pool.ts';

/** The result of one pass. */
export interface PullResult {
  /** The clips in the folder, without erased ones. */
  clips: number;
  changed: number;
  removed: number;
  bytes: number;
}

export interface PassOptions {
  keepErased: boolean;
  signal: AbortSignal;
  /** Called with a line about the progress. */
  onProgress(line: string): void;
}

const AT_ONCE = 4;

/**
 * Makes the folder equal to the project on the server. With `isQuick`, checks only the changed clips, unless the folder
 * and the server have different numbers of clips.
 */
export async function pass(mirror: Mirror, options: PassOptions, isQuick = false): Promise<PullResult> {
  const { client, projectId, journal } = mirror;
  const { signal, onProgress } = options;
  const result: PullResult = { clips: 0, changed: 0, removed: 0, bytes: 0 };
  const project = await client.projects
    .get(projectId, { signal })
    .catch((error: unknown) => erasedProject(mirror, error, signal));
  const total = project?.stats.videosCreated ?? 0;
  const seen = new Set<string>();
  const counting: Mirror = {
    ...mirror,
    onBytes(count) {
      result.bytes += count;
      onProgress(`${seen.size} of ${plural(total, 'clip')}, ${sizeText(result.bytes)} …`);
    },
  };
  const take = async (clip: Submission, stop: AbortSignal) => {
    seen.add(clip.submissionId);
    if (await present(mirrorClip(counting, clip, stop), () => gone(mirror, clip.submissionId, stop)))
      result.changed += 1;
  };
  if (project) {
    const changedAfter = isQuick ? latestChange(mirror) : undefined;
    const query = { omit: 'transcripts' as const, ...(changedAfter && { changedAfter }) };
    await pool(client.submissions.list(projectId, query, { signal }), AT_ONCE, signal, take);
    const isSame = total === live(mirror).length;
    if (isQuick && !isSame) {
      const full = await pass(mirror, options);
      return { ...full, changed: full.changed + result.changed, bytes: full.bytes + result.bytes };
    }
  }
  if (!isQuick || !project)
    for (const entry of [...journal.entries.values()]) {
      if (seen.has(entry.submissionId) || (entry.isErased && options.keepErased)) continue;
      // A list can miss a clip that lands or moves during the read, so only a request for the clip shows that it is erased.
      if (project && !entry.isErased && !(await gone(mirror, entry.submissionId, signal))) continue;
      if (options.keepErased) await journal.put({ ...entry, isErased: true });
      else {
        const paths = Object.values(entry.files).map(({ path }) => path);
        for (const path of [...paths, ...(entry.pending ?? [])]) await remove(mirror.folder, path);
        await journal.remove(entry.submissionId);
      }
      result.removed += 1;
    }
  if (!isQuick) await rm(join(mirror.folder, mirror.parts), { recursive: true, force: true });
  await table(mirror, project, signal);
  return { ...result, clips: live(mirror).length };
}

const live = ({ journal }: Mirror) => [...journal.entries.values()].filter(({ isErased }) => !isErased);

/** Returns the time after which to look for changes, with an overlap for changes that appear late. */
function latestChange({ journal }: Mirror): string | undefined {
  let latest = 0;
  for (const { changedAt } of journal.entries.values()) latest = Math.max(latest, Date.parse(changedAt) || 0);
  return latest > 0 ? new Date(latest - OVERLAP_MS).toISOString() : undefined;
}
const OVERLAP_MS = 10_000;

/** Returns the result of the work; false if it failed because the clip was erased during the work. */
async function present(work: Promise<boolean>, isGone: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error) && (await isGone())) return false;
    throw error;
  }
}

async function gone({ client, projectId }: Mirror, submissionId: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.submissions.get(projectId, submissionId, { signal });
    return false;
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
}

/**
 * Returns undefined if the project was erased or is being erased; otherwise throws. A 404 alone must not empty the folder,
 * because the project of another owner is a 404 too.
 */
async function erasedProject({ client, projectId, journal }: Mirror, error: unknown, signal: AbortSignal) {
  if (!isMissing(error)) throw error;
  const erasure =
    journal.entries.size === 0
      ? undefined
      : await client.projects.erasure(projectId, { signal }).catch(() => undefined);
  if (erasure?.state === 'erased' || erasure?.state === 'erasing') return undefined;
  throw new Failure(EXIT.missing, `${error.message} The folder stays as it is.`);
}

/** Fetches the table if a clip has changed since the last fetch. */
async function table(mirror: Mirror, project: ProjectDetail | undefined, signal: AbortSignal): Promise<void> {
  const { client, projectId, folder, journal, parts } = mirror;
  if (!project) return remove(folder, TABLE);
  if (journal.isTableFresh && (await describe(folder, TABLE, '-'))) return;
  const part = `${parts}/${TABLE}`;
  await saveTo(client.exports.csv(projectId, {}, { signal }), await inside(folder, part), { signal });
  await move(folder, part, TABLE);
  await journal.tableFetched();
}
