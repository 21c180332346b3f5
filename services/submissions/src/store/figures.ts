import type { JobKind } from '../domain/clips/submission.ts';
import { databaseNow } from './database-clock.ts';
import { FIGURES_INDEX, type Models, UPLOAD_INDEX } from './models.ts';

export type ClipState =
  | 'uploading'
  | 'finishing'
  | 'processing'
  | 'ready'
  | 'media_failed'
  | 'transcribing'
  | 'transcribed'
  | 'transcript_failed';

/** The items that wait for a step: the time of the oldest item, and the number of those that have waited too long. */
export interface Waiting {
  since: Date | undefined;
  stuck: number;
}

/** The operator's figures. They are counted from indexes only, each up to COUNTED_MAX. */
export interface FigureStore {
  now(): Promise<Date>;
  clipsByState(): Promise<Record<ClipState, number>>;
  /** Complete uploads that have not landed. */
  landings(stuckBefore: Date): Promise<Waiting>;
  /** The waiting jobs, by the time of their request. */
  jobsSince(kind: JobKind, stuckBefore: Date): Promise<Waiting>;
  /** The number of submissions with unpublished events. */
  outboxDepth(): Promise<number>;
}

/** A count stops at this value, which then means "this many or more". */
const COUNTED_MAX = 10_000;
const QUERY_LIMIT_MS = 10_000;
const NOT_YET: readonly string[] = ['pending', 'processing'];

export function createFigureStore({ submissions, uploads }: Models): FigureStore {
  const count = (query: object, hint: string) =>
    submissions.collection.countDocuments(query, { limit: COUNTED_MAX, maxTimeMS: QUERY_LIMIT_MS, hint });
  const countUploads = (query: object, hint?: string) =>
    uploads.collection.countDocuments(query, { limit: COUNTED_MAX, maxTimeMS: QUERY_LIMIT_MS, ...(hint && { hint }) });
  const inStates = (mediaStatus: unknown, transcriptStatus?: unknown) =>
    count(
      { mediaStatus, ...(transcriptStatus ? { transcriptStatus } : {}), questionIndex: { $gte: 0 } },
      FIGURES_INDEX.clips,
    );
  const oldestUpload = async (query: object, field: 'completeAt' | 'finishingAt', hint: string) => {
    const options = {
      projection: { _id: 0, [field]: 1 },
      sort: { [field]: 1 } as const,
      hint,
      maxTimeMS: QUERY_LIMIT_MS,
    };
    return (await uploads.collection.findOne(query, options))?.[field] as Date | undefined;
  };
  return {
    now: () => databaseNow(submissions),
    async clipsByState() {
      const ended = { $in: ['ready', 'failed'] };
      const [uploading, finishing, processing, ready, media_failed, transcribing, transcribed, transcript_failed] =
        await Promise.all([
          countUploads({ state: 'uploading' }),
          countUploads({ state: 'finishing' }),
          inStates('processing'),
          inStates('ready'),
          inStates('failed'),
          inStates('ready', { $in: NOT_YET }),
          inStates(ended, 'completed'),
          inStates(ended, 'failed'),
        ]);
      return { uploading, finishing, processing, ready, media_failed, transcribing, transcribed, transcript_failed };
    },
    async landings(stuckBefore) {
      const complete = (at: object) => ({ state: 'uploading', completeAt: at });
      const begun = (at: object) => ({ state: 'finishing', finishingAt: at });
      const ever = { $gt: new Date(0) };
      const stuck = { ...ever, $lt: stuckBefore };
      const { complete: ofComplete } = UPLOAD_INDEX;
      const [completeAt, finishingAt] = await Promise.all([
        oldestUpload(complete(ever), 'completeAt', ofComplete),
        oldestUpload(begun(ever), 'finishingAt', FIGURES_INDEX.landings),
      ]);
      const [since] = [completeAt, finishingAt]
        .filter(at => at !== undefined)
        .sort((a, b) => a.getTime() - b.getTime());
      if (!since || since >= stuckBefore) return { since, stuck: 0 };
      const [first, second] = await Promise.all([
        countUploads(complete(stuck), ofComplete),
        countUploads(begun(stuck), FIGURES_INDEX.landings),
      ]);
      return { since, stuck: Math.min(COUNTED_MAX, first + second) };
    },
    async jobsSince(kind, stuckBefore) {
      const jobs = (since: object) => ({ 'job.kind': kind, 'job.since': since, 'job.givenBack': { $gte: 0 } });
      const ever = { $gt: new Date(0) };
      const oldest = await submissions.collection.findOne(jobs(ever), {
        ...{ projection: { _id: 0, 'job.since': 1 }, sort: { 'job.kind': 1, 'job.since': 1 } },
        ...{ hint: FIGURES_INDEX.jobs, maxTimeMS: QUERY_LIMIT_MS },
      });
      const since = oldest?.job?.since as Date | undefined;
      if (!since || since >= stuckBefore) return { since, stuck: 0 };
      return { since, stuck: await count(jobs({ ...ever, $lt: stuckBefore }), FIGURES_INDEX.jobs) };
    },
    outboxDepth: () => count({ 'outbox.at': { $exists: true } }, 'outbox.at_1'),
  };
}
