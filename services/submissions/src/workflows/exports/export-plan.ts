import { createHash } from 'node:crypto';
import { DomainError } from '@recording-request/kit/errors';
import { isMissing, type Objects } from '@recording-request/kit-objects/objects';
import { rangesOf } from '../../domain/clips/parts.ts';
import { type Counts, currentVideo, type Filter, partsOf, type Source } from '../../domain/clips/submission.ts';
import { IdList } from '../../domain/exports/id-list.ts';
import { isPrefix } from '../../domain/object-keys.ts';
import type { ExportRow, ExportRows } from '../../store/export-rows.ts';

/** The content of an export with videos, which does not change after the start of the export. */
export interface ExportPlan {
  /** The clips, oldest first. */
  clips: IdList;
  /** Clips that the export omits because their videos are unreadable, oldest first. */
  missing: string[];
  /** The counts of the whole project. */
  counts: Counts;
  /** When a submission of the project last changed; undefined when there are none. */
  changedAt: Date | undefined;
  /** A hash of the clips; it changes when any clip changes. */
  state: string;
  /** True if the export shows a clip's upload because the media is not made yet. */
  hasSources: boolean;
}

interface PlanContext {
  exportRows: ExportRows;
  exportObjects: Pick<Objects, 'get' | 'stat'>;
}

// The time limit for checking videos again that were unreadable earlier. The export omits the videos that it could not
// check.
const LOOKING_MS = 60_000;
const LOOKS_AT_ONCE = 8;
// The number of tries per video. After each failed try, the store must answer another request.
const LOOKS = 2;
const LOOK_MS = 5_000;
const LOOK_BYTES = 256 * 1024;

/** Plans an export in one pass over the project's rows. Omits clips whose videos are unreadable. */
export async function planExport(
  { exportRows, exportObjects }: PlanContext,
  { ownerId, projectId }: { ownerId: string; projectId: string },
  filter: Pick<Filter, 'selected' | 'transcriptStatus'>,
  signal: AbortSignal,
): Promise<ExportPlan> {
  const counts: Counts = { total: 0, selected: 0, byTranscript: {} };
  const found = new IdList();
  const doubtful: ExportRow[] = [];
  const state = createHash('sha256');
  let hasSources = false;
  let changedAt: Date | undefined;
  for await (const row of exportRows.plan(ownerId, projectId)) {
    signal.throwIfAborted();
    add(counts, row);
    if (!changedAt || row.changedAt > changedAt) changedAt = row.changedAt;
    if (!fits(row, filter)) continue;
    found.add(row.id);
    state.update(`${row.id} ${row.revision} ${row.video?.key}\n`);
    hasSources ||= row.isSource;
    if (!row.video || row.unreadable) doubtful.push(row);
  }
  const readable = new Set<string>();
  const looking = { exportRows, exportObjects, ownerId, projectId };
  for await (const id of readableOf(looking, doubtful, signal)) {
    await exportRows.noteUnreadable(projectId, id, undefined);
    readable.add(id);
  }
  const missing = doubtful.map(({ id }) => id).filter(id => !readable.has(id));
  state.update(`${missing}`);
  const clips = missing.length > 0 ? without(found, missing) : found;
  return { clips, missing, counts, changedAt, state: state.digest('base64url'), hasSources };
}

function add(counts: Counts, { selected, transcriptStatus }: ExportRow): void {
  counts.total += 1;
  if (selected) counts.selected += 1;
  counts.byTranscript[transcriptStatus] = (counts.byTranscript[transcriptStatus] ?? 0) + 1;
}

const fits = (row: ExportRow, { selected, transcriptStatus }: Pick<Filter, 'selected' | 'transcriptStatus'>): boolean =>
  (selected === undefined || row.selected === selected) &&
  (transcriptStatus === undefined || row.transcriptStatus === transcriptStatus);

/** Checks unreadable videos again. Yields the ids of those that can be read now. Fails when the store is down. */
async function* readableOf(looking: Looking, rows: ExportRow[], signal: AbortSignal): AsyncGenerator<string> {
  const endsAt = performance.now() + LOOKING_MS;
  // Starts at a random video, so that calls reach different videos if the time is too short for all.
  const first = Math.floor(Math.random() * rows.length);
  const turns = [...rows.slice(first), ...rows.slice(0, first)];
  for (let at = 0; at < turns.length && performance.now() < endsAt; at += LOOKS_AT_ONCE) {
    const some = turns.slice(at, at + LOOKS_AT_ONCE);
    const answers = await Promise.all(some.map(row => isReadable(looking, row, signal)));
    for (const [index, { id }] of some.entries()) if (answers[index]) yield id;
  }
}

type Looking = PlanContext & { ownerId: string; projectId: string };

/** Returns whether a video can be read at the recorded place, or was replaced since. */
async function isReadable(
  { exportRows, exportObjects, ownerId, projectId }: Looking,
  { id, video, unreadable }: Pick<ExportRow, 'id' | 'video' | 'unreadable'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (!video) return false;
  if (unreadable?.key !== video.key || unreadable.offset >= video.size) return true;
  if (!isPrefix(video.key)) return canReadOn(exportObjects, video, unreadable.offset, signal);
  const [row] = await exportRows.read(ownerId, projectId, [id], 'video');
  const now = row && currentVideo(row);
  return now !== undefined && canReadOn(exportObjects, now, unreadable.offset, signal);
}

/**
 * Returns whether a video can be read at `offset`. Fails if the store is down, because then the video may be readable.
 */
export async function canReadOn(
  objects: PlanContext['exportObjects'],
  video: Pick<Source, 'key' | 'size' | 'parts'>,
  offset: number,
  signal: AbortSignal,
): Promise<boolean> {
  const [range] = rangesOf(partsOf(video), offset, LOOK_BYTES);
  if (!range) return true;
  const { key, ...place } = range;
  for (let look = 0; look < LOOKS; look++) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);
    try {
      for await (const _ of await objects.get(key, { ...place, signal: limit }));
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (isMissing(error)) return false;
    }
    await objects.stat(`${key}.none`);
  }
  return false;
}

function without(all: IdList, left: string[]): IdList {
  const leftOut = new Set(left);
  const kept = new IdList();
  for (const id of all.slice(0, all.length)) if (!leftOut.has(id)) kept.add(id);
  return kept;
}

/**
 * Returns the error for an export that lost a clip through an erasure during the export, or for an archive that was
 * ended.
 */
export const erasedMeanwhile = (): DomainError =>
  new DomainError(
    'unavailable',
    'A submission was erased, or its recipient changed, while it was exported; ask for the export again.',
    {
      retryAfterSec: 1,
    },
  );
