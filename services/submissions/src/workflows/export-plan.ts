import { DomainError } from '@recording-request/kit/errors';
import type { Objects } from '@recording-request/kit/objects';
import { IdList } from '../domain/id-list.ts';
import type { Counts, Filter } from '../domain/submission.ts';
import type { ExportRow, ExportRows, Unreadable } from '../store/export-rows.ts';

/** What an export shows, fixed when it starts. */
export interface ExportPlan {
  /** The clips, oldest first. */
  clips: IdList;
  /** Clips that are left out because their videos cannot be read, oldest first. */
  missing: string[];
  /** Of the whole project. */
  counts: Counts;
  /** When anything of the project's content changed last; undefined without any. */
  changedAt: Date | undefined;
}

interface PlanContext {
  exportRows: ExportRows;
  exportObjects: Pick<Objects, 'get'>;
}

// Clips that could not be read before and are looked at again by one export; the others stay out of it.
const LOOKS_MAX = 64;
const LOOKS_AT_ONCE = 8;
const LOOK_MS = 5_000;
const LOOK_BYTES = 256 * 1024;

/** Plans an export from one look at the project's rows. `withVideos` leaves out the clips whose videos cannot be read. */
export async function planExport(
  { exportRows, exportObjects }: PlanContext,
  { ownerId, projectId }: { ownerId: string; projectId: string },
  filter: Pick<Filter, 'selected' | 'transcriptStatus'>,
  { withVideos, signal }: { withVideos: boolean; signal: AbortSignal },
): Promise<ExportPlan> {
  const counts: Counts = { total: 0, selected: 0, byTranscript: {} };
  const found = new IdList();
  const doubtful: ExportRow[] = [];
  let changedAt: Date | undefined;
  for await (const row of exportRows.plan(ownerId, projectId)) {
    signal.throwIfAborted();
    add(counts, row);
    if (!changedAt || row.changedAt > changedAt) changedAt = row.changedAt;
    if (!fits(row, filter)) continue;
    found.add(row.id);
    if (withVideos && (!row.video || row.unreadable)) doubtful.push(row);
  }
  const missing: string[] = [];
  for (let at = 0; at < doubtful.length; at += LOOKS_AT_ONCE) {
    const some = doubtful.slice(at, at + LOOKS_AT_ONCE);
    const readable = await Promise.all(
      some.map(async row => at < LOOKS_MAX && (await isReadable(exportObjects, row, signal))),
    );
    for (const [index, { id }] of some.entries()) {
      if (readable[index]) await exportRows.noteUnreadable(projectId, id, undefined);
      else missing.push(id);
    }
  }
  return { clips: missing.length > 0 ? without(found, missing) : found, missing, counts, changedAt };
}

function add(counts: Counts, { selected, transcriptStatus }: ExportRow): void {
  counts.total += 1;
  if (selected) counts.selected += 1;
  counts.byTranscript[transcriptStatus] = (counts.byTranscript[transcriptStatus] ?? 0) + 1;
}

const fits = (row: ExportRow, { selected, transcriptStatus }: Pick<Filter, 'selected' | 'transcriptStatus'>): boolean =>
  (selected === undefined || row.selected === selected) &&
  (transcriptStatus === undefined || row.transcriptStatus === transcriptStatus);

/** Looks again where a video could not be read: a store that was in trouble may be well by now. */
async function isReadable(
  objects: PlanContext['exportObjects'],
  { video, unreadable }: Pick<ExportRow, 'video' | 'unreadable'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (!video) return false;
  // It has another video since.
  if (unreadable?.key !== video.key || unreadable.offset >= video.size) return true;
  const { key, offset } = unreadable satisfies Unreadable;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);
  try {
    const bytes = await objects.get(key, { offset, length: Math.min(LOOK_BYTES, video.size - offset), signal: limit });
    for await (const _ of bytes);
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

function without(all: IdList, left: string[]): IdList {
  const leftOut = new Set(left);
  const kept = new IdList();
  for (const id of all.slice(0, all.length)) if (!leftOut.has(id)) kept.add(id);
  return kept;
}

/** The error of an export one of whose clips is not there any more. */
export const erasedMeanwhile = (): DomainError =>
  new DomainError('unavailable', 'A submission was erased while it was exported; ask for the export again.', {
    retryAfterSec: 1,
  });
