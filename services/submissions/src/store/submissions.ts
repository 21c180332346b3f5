import { outboxEntry } from '@recording-request/events/kafka';
import { isDuplicateKey } from '@recording-request/kit-mongo/mongo';
import { runningTrace } from '@recording-request/kit-telemetry/span';
import type { Change, Job, JobKind, Source, Submission, SubmissionEvent } from '../domain/clips/submission.ts';
import { toEvent } from '../messages.ts';
import { noteChange, noteLanded } from './change-figures.ts';
import { databaseNow } from './database-clock.ts';
import { type Models, PAGE_INDEX } from './models.ts';
import { createProjectFigures, type ProjectFigures } from './project-figures.ts';
import { createSubmissionQueries, type SubmissionQueries, submissionFromRow } from './submission-queries.ts';

/** A submission whose original upload was kept in addition to its video. */
export interface HeldSource {
  id: string;
  projectId: string;
  source: Source | undefined;
}

export interface SubmissionStore extends SubmissionQueries, ProjectFigures {
  /**
   * Inserts the submission with its events in one write, unless it exists already. Returns false when it was erased.
   */
  land(submission: Submission, events: SubmissionEvent[]): Promise<boolean>;
  find(ownerId: string, projectId: string, id: string): Promise<Submission | undefined>;
  /**
   * Loads only the submission's objects and the fields for their file names. Each range request of a video calls this.
   */
  findObjects(ownerId: string, projectId: string, id: string): Promise<SubmissionObjects | undefined>;
  exists(ownerId: string, projectId: string, id: string): Promise<boolean>;
  /** Returns the time of the oldest unpublished event; undefined when every event was published. */
  oldestUnpublished(): Promise<Date | undefined>;
  /**
   * Calls `decide` with the submission and writes the returned fields and events together. Calls `decide` again if
   * another write was faster. `decide` returns undefined for no change. Returns the submission in its final state;
   * undefined when there is none.
   */
  change(
    key: { projectId: string; submissionId: string; ownerId?: string },
    decide: (submission: Submission) => Change | undefined,
  ): Promise<Submission | undefined>;
  /** Does the same as `change` for the submission in `queue` whose job has been due longest. */
  changeNext(
    queue: { ownerId: string; kind: JobKind; now: Date },
    decide: (submission: Submission) => Change | undefined,
  ): Promise<Submission | undefined>;
  /** Marks all submissions of a link as changed. Returns their number. */
  touch(ownerId: string, projectId: string, linkId: string): Promise<number>;
  /** Returns the ids, among these, of submissions that were never stored. */
  missing(projectId: string, ids: string[]): Promise<string[]>;
  /** Adds an event to the outbox of a submission or its tombstone, unless the outbox has it already. */
  announce(key: { projectId: string; submissionId: string }, event: SubmissionEvent): Promise<void>;
  /** Drops the reference to the original upload, after its object was removed. */
  dropSource(projectId: string, id: string): Promise<void>;
  /** Keeps the original upload in addition to the video for `ms`. */
  holdSource(projectId: string, id: string, ms: number): Promise<void>;
  /** Returns submissions whose hold has expired; hides them from other processes for a while. */
  takeHeldSources(limit: number): Promise<HeldSource[]>;
}

export type SubmissionObjects = Pick<
  Submission,
  | 'id'
  | 'source'
  | 'video'
  | 'audio'
  | 'thumbnails'
  | 'link'
  | 'createdAt'
  | 'interview'
  | 'questionIndex'
  | 'questionText'
>;

const OBJECTS = {
  ...{ source: 1, video: 1, audio: 1, thumbnails: 1 },
  ...{ link: 1, createdAt: 1, interview: 1, questionIndex: 1, questionText: 1 },
} as const;
const DROPPED = { $unset: { source: 1, sourceHeldUntil: 1 } } as const;
const TOUCH_LIMIT_MS = 30_000;
const LOOK_AGAIN_MS = 15 * 60_000;

const outboxOf = (events: SubmissionEvent[]) => events.map(event => outboxEntry(toEvent(event)));

export function createSubmissionStore({ submissions }: Models): SubmissionStore {
  const changeFound = async (
    find: () => Promise<{ _id: unknown; projectId: string; revision: number } | null>,
    decide: (submission: Submission) => Change | undefined,
  ): Promise<Submission | undefined> => {
    for (;;) {
      const row = await find();
      if (!row) return undefined;
      const submission = submissionFromRow(row);
      const change = decide(submission);
      if (!change) return submission;
      const { set } = change;
      const written = await submissions
        .findOneAndUpdate(
          { _id: String(row._id), projectId: row.projectId, revision: row.revision },
          {
            ...assignments(set.job ? { ...set, job: storedJob(set.job) } : set),
            $inc: { revision: 1 },
            ...(isOfContent(change) ? { $currentDate: { changedAt: true } } : {}),
            ...(change.events.length > 0 ? { $push: { outbox: { $each: outboxOf(change.events) } } } : {}),
          },
          { returnDocument: 'after', projection: { changedAt: 1 } },
        )
        .lean();
      if (!written) continue;
      noteChange(submission, change);
      return { ...submission, ...set, changedAt: written.changedAt! };
    }
  };
  return {
    ...createSubmissionQueries(submissions),
    ...createProjectFigures(submissions),
    async land({ id, ...rest }, events) {
      try {
        const row = landedNow({ _id: id, ...rest, revision: 1, outbox: outboxOf(events) });
        const { upsertedCount } = await submissions.collection.updateOne(
          { _id: id as never, projectId: rest.projectId },
          // If the submission exists, it does not change.
          [{ $replaceWith: { $cond: [{ $gt: ['$revision', null] }, '$$ROOT', row] } }],
          { upsert: true, ignoreUndefined: true },
        );
        if (upsertedCount > 0) {
          noteLanded(rest);
          return true;
        }
      } catch (error) {
        // The same clip may land again, but a second clip must not land for the same answer.
        const isSame = isDuplicateKey(error) && (await submissions.exists({ _id: id, projectId: rest.projectId }));
        if (!isSame) throw error;
      }
      return (await submissions.exists({ _id: id, projectId: rest.projectId, erasedAt: null })) !== null;
    },
    async find(ownerId, projectId, id) {
      const row = await submissions.findOne({ _id: id, projectId, ownerId }, { outbox: 0 }).lean();
      return row ? submissionFromRow(row) : undefined;
    },
    async findObjects(ownerId, projectId, id) {
      const row = await submissions.findOne({ _id: id, projectId, ownerId }, OBJECTS).lean();
      return row ? submissionFromRow(row) : undefined;
    },
    exists: async (ownerId, projectId, id) => (await submissions.exists({ _id: id, projectId, ownerId })) !== null,
    async oldestUnpublished() {
      const carrier = await submissions.collection.findOne<{ outbox: { at: Date }[] }>(
        { 'outbox.at': { $exists: true } },
        { projection: { 'outbox.at': 1 }, sort: { 'outbox.at': 1 }, hint: { 'outbox.at': 1 } },
      );
      return carrier?.outbox[0]?.at;
    },
    change({ projectId, submissionId, ownerId }, decide) {
      const filter = { _id: submissionId, projectId, erasedAt: null, ...(ownerId === undefined ? {} : { ownerId }) };
      return changeFound(() => submissions.findOne(filter, { outbox: 0 }).lean(), decide);
    },
    changeNext({ ownerId, kind, now }, decide) {
      const filter = { 'job.kind': kind, 'job.state': 'waiting', ownerId, 'job.dueAt': { $lte: now } };
      return changeFound(() => submissions.findOne(filter, { outbox: 0 }).sort({ 'job.dueAt': 1 }).lean(), decide);
    },
    async touch(ownerId, projectId, linkId) {
      const { matchedCount } = await submissions.updateMany(
        { projectId, ownerId, linkId },
        { $inc: { revision: 1 }, $currentDate: { changedAt: true } },
        { hint: PAGE_INDEX.linkId, maxTimeMS: TOUCH_LIMIT_MS },
      );
      return matchedCount;
    },
    async missing(projectId, ids) {
      const rows = await submissions.find({ projectId, _id: { $in: ids } }, { _id: 1 }).lean();
      const there = new Set(rows.map(row => String(row._id)));
      return ids.filter(id => !there.has(id));
    },
    async announce({ projectId, submissionId }, event) {
      const [entry] = outboxOf([event]);
      await submissions.updateOne(
        { _id: submissionId, projectId, 'outbox.id': { $ne: entry!.id } },
        { $push: { outbox: entry } },
      );
    },
    async dropSource(projectId, id) {
      await submissions.updateOne({ _id: id, projectId, video: { $ne: null } }, DROPPED);
    },
    async holdSource(projectId, id, ms) {
      const until = new Date((await databaseNow(submissions)).getTime() + ms);
      await submissions.updateOne({ _id: id, projectId, erasedAt: null }, { $set: { sourceHeldUntil: until } });
    },
    async takeHeldSources(limit) {
      const now = await databaseNow(submissions);
      const rows = await submissions
        .find({ sourceHeldUntil: { $lte: now } }, { projectId: 1, 'source.key': 1, 'source.uploadId': 1 })
        .sort({ sourceHeldUntil: 1 })
        .limit(limit)
        .lean();
      if (rows.length === 0) return [];
      const again = new Date(now.getTime() + LOOK_AGAIN_MS);
      const projectIds = [...new Set(rows.map(row => row.projectId))];
      const those = { _id: { $in: rows.map(row => row._id) }, projectId: { $in: projectIds } };
      await submissions.updateMany(those, { $set: { sourceHeldUntil: again } });
      return rows.map(row => {
        const { id, projectId, source } = submissionFromRow(row);
        return { id, projectId, source };
      });
    },
  };
}

/**
 * Returns the row with the server's time of this write. A landing may take long, and a client that requests changes
 * must see the clip as new now.
 */
function landedNow({ job, ...row }: Record<string, unknown> & { job?: Job | undefined }): object {
  const dated = { $mergeObjects: [{ $literal: row }, { changedAt: '$$NOW' }] };
  if (!job) return dated;
  const waiting = { $mergeObjects: [{ $literal: storedJob(job) }, { since: '$$NOW', dueAt: '$$NOW' }] };
  return { $mergeObjects: [dated, { job: waiting }] };
}

// Returns whether a change affects content: lists and exports do not show the steps of a job.
const isOfContent = ({ set }: Change): boolean => Object.keys(set).some(name => name !== 'job');

/** Returns the job in its stored form: with the trace of its request, and without undefined fields. */
function storedJob(job: Job): Job {
  const entries = Object.entries({ ...job, trace: job.trace ?? runningTrace() });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as unknown as Job;
}

// The driver omits fields that are `undefined` from $set, so $unset removes them.
function assignments(set: Record<string, unknown>): object {
  const entries = Object.entries(set);
  const gone = entries.filter(([, value]) => value === undefined).map(([name]) => [name, 1]);
  const $set = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  return gone.length > 0 ? { $set, $unset: Object.fromEntries(gone) } : { $set };
}
