import { JOB_KINDS, type Job, type JobKind } from '../domain/clips/submission.ts';
import { databaseNow } from './database-clock.ts';
import { FIGURES_INDEX, JOBS_INDEX, type Models } from './models.ts';

export interface SubmissionKey {
  projectId: string;
  submissionId: string;
}

export interface StoredJob extends SubmissionKey {
  job: Job;
}

/** An owner who has waiting jobs, and the due time of the oldest job. */
export interface DueOwner {
  ownerId: string;
  dueAt: Date;
  /** The database's current time. */
  now: Date;
}

export interface Backlog {
  waiting: number;
  paused: number;
  running: number;
  /** The oldest jobs, waiting or running. */
  oldest: StoredJob[];
  /** Jobs that workers returned, the longest waiting first. */
  troubled: StoredJob[];
}

/**
 * The jobs of all submissions. The rules in `domain/jobs` decide how jobs change; the store of submissions writes the
 * changes.
 */
export interface JobStore {
  now(): Promise<Date>;
  /** Returns at most 1,000 owners who have a due job, the longest waiting first. */
  waitingOwners(kind: JobKind): Promise<DueOwner[]>;
  /** Returns each owner's number of running jobs. */
  runningByOwner(kind: JobKind): Promise<Map<string, number>>;
  /** Returns the submission whose job this run holds. */
  heldBy(kind: JobKind, holder: string): Promise<SubmissionKey | undefined>;
  /** Returns jobs whose lease has expired or whose result is overdue. */
  overdue(now: Date, limit: number): Promise<SubmissionKey[]>;
  /**
   * Renews a claim; takes the job back if the claim has expired and no other run has started the job. Returns false
   * when the holder has lost the job or the job has ended.
   */
  renew(key: SubmissionKey, kind: JobKind, holder: string, leaseMs: number): Promise<boolean>;
  /**
   * Records that the holder has published a result; the service then waits `waitMs` for it. Returns false when the
   * holder has lost the job or the job has ended.
   */
  report(key: SubmissionKey, kind: JobKind, holder: string, waitMs: number): Promise<boolean>;
  backlog(kind: JobKind, troubledLimit: number): Promise<Backlog>;
  /** Returns the number of jobs in each state, at most 10,000 for each. */
  countByState(kind: JobKind): Promise<{ waiting: number; running: number }>;
}

const OWNERS_MAX = 1_000;
const OLDEST_MAX = 5;
const COUNTED_MAX = 10_000;
const QUERY_LIMIT_MS = 10_000;
const FIELDS = { projectId: 1, job: 1 } as const;
const BEGUN = { $in: ['running', 'reported'] };

export function createJobStore({ submissions }: Models): JobStore {
  const state = (kind: JobKind, which: unknown) => ({ 'job.kind': kind, 'job.state': which });
  const holding = async ({ projectId, submissionId }: SubmissionKey, kind: JobKind, holder: string, set: object) => {
    const held = { 'job.kind': kind, 'job.holder': holder, 'job.state': { $ne: 'reported' } };
    const { matchedCount } = await submissions.collection.updateOne(
      { _id: submissionId as never, projectId, ...held },
      [{ $set: { ...set, revision: { $add: ['$revision', 1] } } }],
    );
    return matchedCount > 0;
  };
  const inMs = (ms: number) => ({ $add: ['$$NOW', ms] });
  const count = (query: object) => submissions.countDocuments(query).maxTimeMS(QUERY_LIMIT_MS);
  return {
    now: () => databaseNow(submissions),
    async waitingOwners(kind) {
      // Reads one index entry per owner, however many jobs the owner has.
      return await submissions
        .aggregate<DueOwner>([
          { $match: state(kind, 'waiting') },
          { $sort: { ownerId: 1, 'job.dueAt': 1 } },
          { $group: { _id: '$ownerId', dueAt: { $first: '$job.dueAt' } } },
          { $match: { $expr: { $lte: ['$dueAt', '$$NOW'] } } },
          { $sort: { dueAt: 1 } },
          { $limit: OWNERS_MAX },
          { $project: { _id: 0, ownerId: '$_id', dueAt: 1, now: '$$NOW' } },
        ])
        .option({ maxTimeMS: QUERY_LIMIT_MS });
    },
    async runningByOwner(kind) {
      // Reads as many index entries as workers have slots, because only that many jobs run.
      const owners = await submissions
        .aggregate<{ _id: string; count: number }>([
          { $match: state(kind, 'running') },
          { $group: { _id: '$ownerId', count: { $sum: 1 } } },
        ])
        .option({ maxTimeMS: QUERY_LIMIT_MS, hint: JOBS_INDEX });
      return new Map(owners.map(owner => [owner._id, owner.count]));
    },
    async heldBy(kind, holder) {
      const query = { ...state(kind, 'running'), 'job.holder': holder };
      const row = await submissions.findOne(query, { projectId: 1 }).hint(JOBS_INDEX).lean();
      return row ? keyOf(row) : undefined;
    },
    async overdue(now, limit) {
      const query = { 'job.kind': { $in: JOB_KINDS }, 'job.state': BEGUN, 'job.dueAt': { $lte: now } };
      return (await submissions.find(query, { projectId: 1 }).hint(JOBS_INDEX).limit(limit).lean()).map(keyOf);
    },
    renew: (key, kind, holder, leaseMs) =>
      holding(key, kind, holder, { 'job.state': 'running', 'job.dueAt': inMs(leaseMs) }),
    report: (key, kind, holder, waitMs) =>
      holding(key, kind, holder, { 'job.state': 'reported', 'job.dueAt': inMs(waitMs) }),
    async countByState(kind) {
      const upTo = (which: unknown) => count(state(kind, which)).limit(COUNTED_MAX);
      const [waiting, running] = await Promise.all([upTo('waiting'), upTo(BEGUN)]);
      return { waiting, running };
    },
    async backlog(kind, troubledLimit) {
      const now = await databaseNow(submissions);
      const [waiting, paused, running, oldest, troubled] = await Promise.all([
        count({ ...state(kind, 'waiting'), 'job.dueAt': { $lte: now } }),
        count({ ...state(kind, 'waiting'), 'job.dueAt': { $gt: now } }),
        count(state(kind, BEGUN)),
        submissions
          .find({ 'job.kind': kind, 'job.since': { $gt: new Date(0) }, 'job.givenBack': { $gte: 0 } }, FIELDS)
          .sort({ 'job.kind': 1, 'job.since': 1 })
          .hint(FIGURES_INDEX.jobs)
          .limit(OLDEST_MAX)
          .maxTimeMS(QUERY_LIMIT_MS)
          .lean(),
        submissions
          .find({ 'job.kind': kind, 'job.givenBack': { $gt: 0 } }, FIELDS)
          .sort({ 'job.since': 1 })
          .limit(troubledLimit)
          .maxTimeMS(QUERY_LIMIT_MS)
          .lean(),
      ]);
      return { waiting, paused, running, oldest: oldest.map(fromRow), troubled: troubled.map(fromRow) };
    },
  };
}

const keyOf = (row: { _id: unknown; projectId: string }): SubmissionKey => ({
  projectId: row.projectId,
  submissionId: String(row._id),
});

const fromRow = (row: { _id: unknown; projectId: string; job?: unknown }): StoredJob => ({
  ...keyOf(row),
  job: row.job as Job,
});
