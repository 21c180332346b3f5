import { DomainError } from '@recording-request/kit/errors';
import type { Context } from '../../context.ts';
import { askMediaAgain, lacksMedia, type Unmade } from '../../domain/clips/media-again.ts';

export interface MediaRange {
  /** The clips that landed from then on, and before `to`. */
  from: Date;
  to: Date;
  /** Those whose media failed. */
  failed: boolean;
  /** Those that are ready, but for a part that `mediaError` names. */
  withError: boolean;
  /** Changes nothing. */
  dryRun: boolean;
  /** The last clip that an earlier call looked at; "" for the first call. */
  after: string;
}

export interface RetriedMedia {
  projectId: string;
  submissionId: string;
  createdAt: Date;
  mediaError: string;
  /** Why its media is not asked for again; "" where it is. */
  left: string;
}

export interface RetriedPage {
  clips: RetriedMedia[];
  lookedAt: number;
  /** The last clip that was looked at; undefined where there are no more. */
  next: string | undefined;
}

// A call ends well within its deadline, whatever they need.
const LOOKED_AT_ONCE = 200;

/**
 * Asks again for the media of the clips of a time range of which some could not be made, the oldest first. Can be repeated: a clip whose
 * media was asked for is no longer one of them.
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
    // An erased clip has neither.
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

async function reasonToLeave(ask: () => Promise<void>): Promise<string> {
  try {
    await ask();
    return '';
  } catch (error) {
    if (error instanceof DomainError && error.code === 'conflict') return error.message;
    throw error;
  }
}
