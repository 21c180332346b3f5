import type { Job, JobKind, Trace } from '../domain/clips/submission.ts';
import type { WaitingOwner } from '../domain/jobs/job.ts';
import { databaseNow } from './database-clock.ts';
import { FIGURES_INDEX, type Models } from './models.ts';

export interface SubmissionKey {
  projectId: string;
  submissionId: string;
}

/** A job that waits, with how it is traced. */
export interface WaitingJob extends SubmissionKey {
  job: Pick<Job, 'trace' | 'dispatches'>;
  /** In which its clip landed. */
  trace: Trace | undefined;
}

export interface InFlightJob extends SubmissionKey {
  ownerId: string;
  job: Job;
}

export interface Backlog {
  waiting: number;
  paused: number;
  published: number;
  running: number;
  /** The oldest, whether they wait or run. */
  oldest: InFlightJob[];
  /** Those that were given back, the longest waiting first. */
  troubled: InFlightJob[];
}

/** The jobs of all submissions. What they become is decided by the rules, and written by the store of submissions. */
export interface JobStore {
  now(): Promise<Date>;
  inFlight(kind: JobKind): Promise<InFlightJob[]>;
  /** Every owner with a job that waits, the longest waiting first, at most 1,000. */
  waitingOwners(kind: JobKind): Promise<WaitingOwner[]>;
  /** The owner's job that has been due longest. */
  nextOf(ownerId: string, kind: JobKind, now: Date): Promise<WaitingJob | undefined>;
  /** Those that were published before `before`, and not begun. */
  publishedBefore(kind: JobKind, before: Date, limit: number): Promise<SubmissionKey[]>;
  /** Prolongs a claim, or takes it back where nobody else has begun the job since. False: it is another's, or ended. */
  renew(key: SubmissionKey, kind: JobKind, holder: string, leaseMs: number): Promise<boolean>;
  /** Notes that the holder has published a result. False as above. */
  report(key: SubmissionKey, kind: JobKind, holder: string): Promise<boolean>;
  backlog(kind: JobKind, troubledLimit: number): Promise<Backlog>;
  /** How many there are of each state, 10,000 at most. */
  countByState(kind: JobKind): Promise<{ waiting: number; published: number; running: number }>;
}

const OWNERS_MAX = 1_000;
const OLDEST_MAX = 5;
const IN_FLIGHT_MAX = 10_000;
const COUNTED_MAX = 10_000;
const QUERY_LIMIT_MS = 10_000;
const FIELDS = { projectId: 1, ownerId: 1, job: 1 } as const;
const TRACED = { projectId: 1, trace: 1, 'job.trace': 1, 'job.dispatches': 1 } as const;
type TracedRow = { _id: unknown; projectId: string } & Omit<WaitingJob, keyof SubmissionKey>;
const IN_FLIGHT = { $in: ['published', 'running', 'reported'] };

export function createJobStore({ submissions }: Models): JobStore {
  const state = (kind: JobKind, which: unknown) => ({ 'job.kind': kind, 'job.state': which });
  const holding = async ({ projectId, submissionId }: SubmissionKey, kind: JobKind, holder: string, set: object) => {
    const { matchedCount } = await submissions.collection.updateOne(
      {
        _id: submissionId as never,
        projectId,
        'job.kind': kind,
        'job.holder': holder,
        'job.state': { $ne: 'reported' },
      },
      [{ $set: { ...set, revision: { $add: ['$revision', 1] } } }],
    );
    return matchedCount > 0;
  };
  const count = (query: object) => submissions.countDocuments(query).maxTimeMS(QUERY_LIMIT_MS);
  return {
    now: () => databaseNow(submissions),
    async inFlight(kind) {
      return (await submissions.find(state(kind, IN_FLIGHT), FIELDS).limit(IN_FLIGHT_MAX).lean()).map(fromRow);
    },
    async waitingOwners(kind) {
      // One look into the index for each owner, however many jobs they have.
      return await submissions
        .aggregate<WaitingOwner>([
          { $match: state(kind, 'waiting') },
          { $sort: { ownerId: 1, 'job.dueAt': 1 } },
          { $group: { _id: '$ownerId', dueAt: { $first: '$job.dueAt' } } },
          { $sort: { dueAt: 1 } },
          { $limit: OWNERS_MAX },
          { $project: { _id: 0, ownerId: '$_id', dueAt: 1 } },
        ])
        .option({ maxTimeMS: QUERY_LIMIT_MS });
    },
    async nextOf(ownerId, kind, now) {
      const row = await submissions
        .findOne({ ...state(kind, 'waiting'), ownerId, 'job.dueAt': { $lte: now } }, TRACED)
        .sort({ 'job.dueAt': 1 })
        .lean<TracedRow>();
      return row ? { ...keyOf(row), job: row.job, trace: row.trace } : undefined;
    },
    async publishedBefore(kind, before, limit) {
      const query = { ...state(kind, 'published'), 'job.publishedAt': { $lt: before } };
      return (await submissions.find(query, { projectId: 1 }).limit(limit).lean()).map(keyOf);
    },
    renew: (key, kind, holder, leaseMs) =>
      holding(key, kind, holder, { 'job.state': 'running', 'job.leaseUntil': { $add: ['$$NOW', leaseMs] } }),
    report: (key, kind, holder) => holding(key, kind, holder, { 'job.state': 'reported', 'job.publishedAt': '$$NOW' }),
    async countByState(kind) {
      const upTo = (which: unknown) => count(state(kind, which)).limit(COUNTED_MAX);
      const states = [upTo('waiting'), upTo('published'), upTo({ $in: ['running', 'reported'] })];
      const [waiting = 0, published = 0, running = 0] = await Promise.all(states);
      return { waiting, published, running };
    },
    async backlog(kind, troubledLimit) {
      const now = await databaseNow(submissions);
      const [waiting, paused, published, running, oldest, troubled] = await Promise.all([
        count({ ...state(kind, 'waiting'), 'job.dueAt': { $lte: now } }),
        count({ ...state(kind, 'waiting'), 'job.dueAt': { $gt: now } }),
        count(state(kind, 'published')),
        count(state(kind, { $in: ['running', 'reported'] })),
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
      return { waiting, paused, published, running, oldest: oldest.map(fromRow), troubled: troubled.map(fromRow) };
    },
  };
}

const keyOf = (row: { _id: unknown; projectId: string }): SubmissionKey => ({
  projectId: row.projectId,
  submissionId: String(row._id),
});

function fromRow(row: { _id: unknown; projectId: string; ownerId: string; job?: unknown }): InFlightJob {
  return { ...keyOf(row), ownerId: row.ownerId, job: row.job as Job };
}
