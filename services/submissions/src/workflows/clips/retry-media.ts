import { DomainError } from '@recording-request/kit/errors';
import type { Context } from '../../context.ts';
import { askMediaAgain, lacksMedia, type Unmade } from '../../domain/clips/media-again.ts';

export interface MediaRange {
  /** The time range of the clips: they landed at or after `from` and before `to`. */
  from: Date;
  to: Date;
  /** Includes clips whose media failed. */
  failed: boolean;
  /** Includes ready clips that lack a part named in `mediaError`. */
  withError: boolean;
  /** Only reports; changes nothing. */
  dryRun: boolean;
  /** The last clip that the previous call examined; "" for the first call. */
  after: string;
}

export interface RetriedMedia {
  projectId: string;
  submissionId: string;
  createdAt: Date;
  mediaError: string;
  /** The reason why the service does not request the media again; "" if it does. */
  left: string;
}

export interface RetriedPage {
  clips: RetriedMedia[];
  lookedAt: number;
  /** The last examined clip; undefined when no clips remain. */
  next: string | undefined;
}

// So few that a call examines them well before its deadline.
const LOOKED_AT_ONCE = 200;

/**
 * Requests the media again for clips of a time range that lack some of their media, oldest first. Can be repeated,
 * because a clip no longer matches after the request.
 */
export async function retryMedia(
  { submissions, jobs }: Pick<Context, 'submissions' | 'jobs'>,
  range: MediaRange,
  signal: AbortSignal,
): Promise<RetriedPage> {
  const now = await jobs.now();
  const rows = await submissions.landedBetween(range, range.after, LOOKED_AT_ONCE);
  const isMeant = (clip: Unmade) =>
    lacksMedia(clip) && (clip.mediaStatus === 'failed' ? range.failed : range.withError);
  const clips: RetriedMedia[] = [];
  for (const row of rows) {
    const { id, projectId, createdAt, mediaError = '' } = row;
    // An erased clip does not match, because it has no media status.
    if (!isMeant(row) || createdAt < range.from || createdAt >= range.to) continue;
    signal.throwIfAborted();
    const left = await reasonToLeave(async () => {
      if (range.dryRun) askMediaAgain(row, now);
      else
        await submissions.change({ projectId, submissionId: id }, submission =>
          isMeant(submission) ? askMediaAgain(submission, now) : undefined,
        );
    });
    clips.push({ projectId, submissionId: id, createdAt, mediaError, left });
  }
  const next = rows.length < LOOKED_AT_ONCE ? undefined : rows.at(-1)!.id;
  return { clips, lookedAt: rows.length, next };
}

async function reasonToLeave(request: () => Promise<void>): Promise<string> {
  try {
    await request();
    return '';
  } catch (error) {
    if (error instanceof DomainError && error.code === 'conflict') return error.message;
    throw error;
  }
}
