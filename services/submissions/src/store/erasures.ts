import { outboxEntry } from '@recording-request/events/kafka';
import type { OutboxEntry } from '@recording-request/events/outbox';
import type { SubmissionEvent, Trace } from '../domain/clips/submission.ts';
import { toEvent } from '../messages.ts';
import { databaseNow } from './database-clock.ts';
import { CLOCKS_MS, firstIdAt } from './id-times.ts';
import type { Models } from './models.ts';
import { noteId } from './notes.ts';

/** The response and question of a submission. They identify its uploads and notes. */
export interface AnswerKey {
  linkId: string;
  responseId: string;
  questionIndex: number;
}

/** A live submission (without `erasedAt`), or the tombstone that replaced it. */
export interface Erasable {
  id: string;
  projectId: string;
  erasedAt?: Date;
  /** Absent when its uploads and notes were removed. */
  answer?: AnswerKey;
  /** The trace in which the clip landed. */
  trace?: Trace;
  /** When the clip landed; absent in a tombstone. */
  landedAt?: Date;
}

export interface ErasedProject {
  id: string;
  at: Date;
  /** Present if the owner began the erasure. */
  owned?: OwnedErasure;
}

/** The erasure of a project by its owner. */
export interface OwnedErasure {
  ownerId: string;
  /** When the other services learned of it. */
  announcedAt?: Date;
  doneAt?: Date;
  /** When Kafka deletes the last record; absent when it keeps records forever, and until the erasure is done. */
  recordsEndAt?: Date;
  /** The counts of the data that was removed so far, here and in the projects service. */
  removed: Record<string, number>;
  removedOfProject: Record<string, number>;
}

/** The records of erasures. All times are from the database's clock. */
export interface ErasureStore {
  now(): Promise<Date>;
  find(submissionId: string): Promise<Erasable | undefined>;
  /** Returns whether the response of an answer has a clip other than this submission. */
  hasOtherClip(answer: AnswerKey & { projectId: string }, submissionId: string): Promise<boolean>;
  /** Returns submissions of a project that were not erased. */
  ofProject(projectId: string, limit: number): Promise<Erasable[]>;
  countOfProject(projectId: string): Promise<{ submissions: number; uploads: number; notes: number }>;
  /** Returns whether a project still has submissions or uploads. */
  hasRest(projectId: string): Promise<boolean>;
  /** Returns submissions that landed more than `ageMs` ago, oldest first. */
  olderThan(ageMs: number, limit: number): Promise<Erasable[]>;
  /** Does the same in one project. */
  olderThanIn(project: { projectId: string; ownerId: string }, ageMs: number, limit: number): Promise<Erasable[]>;
  /**
   * Replaces the submission with its tombstone and the events of the erasure, in one write. A late result then finds no
   * submission to update. The tombstone's purge is due after `purgeMs`. Returns false when another process was faster.
   */
  bury(submission: Erasable, purgeMs: number): Promise<boolean>;
  /** Empties the uploads of an answer or of a project, so that they accept no more bytes. Returns their ids. */
  emptyUploads(which: AnswerKey | { projectId: string }, limit: number): Promise<string[]>;
  /**
   * Records that the bytes of these uploads were removed. The sweeper deletes the rows after it has purged the uploads'
   * prefix again.
   */
  uploadsPurged(ids: string[]): Promise<void>;
  uploadIds(which: AnswerKey | { projectId: string }): AsyncIterable<string>;
  countNotes(answer: AnswerKey): Promise<number>;
  removeNotes(which: AnswerKey | { projectId: string }): Promise<number>;
  /**
   * Records a finished purge. The next purge, of late results, is due at `purgeAt`; undefined deletes the tombstone.
   */
  purged(submission: Pick<Erasable, 'id' | 'projectId'>, purgeAt: Date | undefined): Promise<void>;
  /**
   * Returns a tombstone whose purge is due, and reserves it for `keepMs`. Returns undefined when none is due or another
   * process was faster.
   */
  takeDue(keepMs: number): Promise<Erasable | undefined>;
  /** Records that a project is erased, with a purge due after `purgeMs`. Does nothing if this is already recorded. */
  closeProject(projectId: string, purgeMs: number): Promise<void>;
  findProject(projectId: string): Promise<ErasedProject | undefined>;
  /** Does the same as `closeProject` for the owner. Returns the erasure; `isNew` if this call recorded it. */
  begin(project: { projectId: string; ownerId: string }, purgeMs: number): Promise<ErasedProject & { isNew: boolean }>;
  /** Adds to the counts of the owner's erasure. */
  addRemoved(projectId: string, counts: { removed?: object; removedOfProject?: object }): Promise<void>;
  announced(projectId: string): Promise<void>;
  /** Records that nothing of the project is left. */
  done(projectId: string, recordsEndAt: Date | undefined): Promise<void>;
  projectPurged(projectId: string, purgeAt: Date | undefined): Promise<void>;
  /** Does the same as `takeDue` for an erased project. */
  takeDueProject(keepMs: number): Promise<ErasedProject | undefined>;
}

/** The owner id in tombstones. */
export const NOBODY = '';

interface Tombstone extends AnswerKey {
  _id: string;
  projectId: string;
  ownerId: typeof NOBODY;
  erasedAt: Date;
  purgeAt: Date;
  left?: AnswerKey;
  trace?: Trace;
  revision: 0;
  outbox: OutboxEntry[];
}

const FIELDS = {
  projectId: 1,
  linkId: 1,
  responseId: 1,
  questionIndex: 1,
  erasedAt: 1,
  left: 1,
  trace: 1,
  createdAt: 1,
} as const;

type Row = {
  _id: unknown;
  projectId: string;
  createdAt?: Date | null;
  erasedAt?: Date | null;
  left?: unknown;
  trace?: unknown;
} & AnswerKey;

function fromRow(row: Row): Erasable {
  const { linkId, responseId, questionIndex } = row;
  const traced = row.trace ? { trace: row.trace as Trace } : {};
  const landed = row.createdAt ? { landedAt: row.createdAt } : {};
  const base = { id: String(row._id), projectId: row.projectId, ...landed, ...traced };
  if (!row.erasedAt) return { ...base, answer: { linkId, responseId, questionIndex } };
  return { ...base, erasedAt: row.erasedAt, ...(row.left ? { answer: row.left as AnswerKey } : {}) };
}

export function createErasureStore(models: Models): ErasureStore {
  return { ...submissionsPart(models), ...belongingsPart(models), ...projectsPart(models) };
}

const later = (time: Date, ms: number): Date => new Date(time.getTime() + ms);

// Tombstones have the owner NOBODY, so this condition skips them in the index without reading documents.
const livingOf = (projectId: string) => ({ projectId, ownerId: { $gt: '' } });

function submissionsPart({ submissions }: Models) {
  const many = async (query: object, sort: Record<string, 1>, limit: number) =>
    ((await submissions.find(query, FIELDS).sort(sort).limit(limit).lean()) as Row[]).map(fromRow);
  return {
    now: () => databaseNow(submissions),
    async find(submissionId: string) {
      const row = (await submissions.findById(submissionId, FIELDS).lean()) as Row | null;
      return row ? fromRow(row) : undefined;
    },
    async hasOtherClip({ projectId, linkId, responseId }: AnswerKey & { projectId: string }, submissionId: string) {
      // Tombstones have no link.
      return (await submissions.exists({ projectId, linkId, responseId, _id: { $ne: submissionId } })) !== null;
    },
    ofProject: (projectId: string, limit: number) => many(livingOf(projectId), {}, limit),
    async olderThan(ageMs: number, limit: number) {
      const before = later(await databaseNow(submissions), -ageMs);
      return many({ createdAt: { $lt: before } }, { createdAt: 1 }, limit);
    },
    async olderThanIn({ projectId, ownerId }: { projectId: string; ownerId: string }, ageMs: number, limit: number) {
      const before = later(await databaseNow(submissions), -ageMs);
      // An id has the time of a process, so `createdAt` decides; the ids only keep the query from reading young clips.
      const _id = { $lt: firstIdAt(before.getTime() + CLOCKS_MS) };
      return many({ projectId, ownerId, _id, createdAt: { $lt: before } }, { _id: 1 }, limit);
    },
    async bury({ id, projectId, answer, trace }: Erasable, purgeMs: number) {
      const erasedAt = await databaseNow(submissions);
      const erased = { projectId, submissionId: id };
      // At the first event, the webhooks service deletes its copies; the second event notifies the owner.
      const events: SubmissionEvent[] = [
        { type: 'submission.erased', ...erased },
        { type: 'submission.erasure', ...erased, erasedAt },
      ];
      const tombstone: Tombstone = {
        _id: id,
        projectId,
        ownerId: NOBODY,
        // The unique index needs a value here; no answer has this value.
        linkId: '',
        responseId: id,
        questionIndex: 0,
        erasedAt,
        purgeAt: later(erasedAt, purgeMs),
        ...(answer ? { left: answer } : {}),
        ...(trace ? { trace } : {}),
        revision: 0,
        outbox: events.map(event => outboxEntry(toEvent(event))),
      };
      // `changedAt` tells project-figures.ts that the project has changed.
      const { modifiedCount } = await submissions.collection.updateOne(
        { _id: id as never, projectId, erasedAt: null },
        [{ $replaceWith: { $mergeObjects: [{ $literal: tombstone }, { changedAt: '$$NOW' }] } }],
        { ignoreUndefined: true },
      );
      return modifiedCount > 0;
    },
    async purged({ id, projectId }: Pick<Erasable, 'id' | 'projectId'>, purgeAt: Date | undefined) {
      const tombstone = { _id: id, projectId, erasedAt: { $ne: null } };
      if (purgeAt) await submissions.updateOne(tombstone, { $set: { purgeAt }, $unset: { left: 1 } });
      else await submissions.deleteOne({ ...tombstone, 'outbox.0': { $exists: false } });
    },
    async takeDue(keepMs: number) {
      const now = await databaseNow(submissions);
      const kept = { $set: { purgeAt: later(now, keepMs) } };
      const due = await submissions
        .findOne({ purgeAt: { $lte: now } }, { projectId: 1 })
        .sort({ purgeAt: 1 })
        .lean();
      if (!due) return undefined;
      const one = { _id: due._id, projectId: due.projectId, purgeAt: { $lte: now } };
      const row = (await submissions.findOneAndUpdate(one, kept, { projection: FIELDS }).lean()) as Row | null;
      return row ? fromRow(row) : undefined;
    },
  };
}

function belongingsPart({ submissions, uploads, partPages, notes }: Models) {
  const notesOf = (which: AnswerKey | { projectId: string }) => {
    if ('projectId' in which) return { projectId: which.projectId };
    const { linkId, responseId, questionIndex } = which;
    return { _id: { $in: [noteId(linkId, responseId, questionIndex), noteId(linkId, responseId, undefined)] } };
  };
  return {
    async emptyUploads(which: AnswerKey | { projectId: string }, limit: number) {
      const rows = await uploads
        .find({ ...which, emptied: null }, { _id: 1 })
        .limit(limit)
        .lean();
      const ids = rows.map(row => String(row._id));
      await uploads.updateMany(
        { _id: { $in: ids } },
        {
          $set: { state: 'deleted', note: '', parts: [], pages: [] },
          $currentDate: { lastByteAt: true },
          $unset: { error: 1, sha256: 1, crc32: 1 },
        },
      );
      return ids;
    },
    async uploadsPurged(ids: string[]) {
      await partPages.deleteMany({ uploadId: { $in: ids } });
      await uploads.updateMany(
        { _id: { $in: ids } },
        { $set: { emptied: true, linkId: '', responseId: '', ownerId: '' } },
      );
    },
    async *uploadIds(which: AnswerKey | { projectId: string }) {
      for await (const row of uploads
        .find({ ...which, emptied: null }, { _id: 1 })
        .lean()
        .cursor())
        yield String(row._id);
    },
    countNotes: (answer: AnswerKey) => notes.countDocuments(notesOf(answer)),
    async removeNotes(which: AnswerKey | { projectId: string }) {
      return (await notes.deleteMany(notesOf(which))).deletedCount;
    },
    async hasRest(projectId: string) {
      const some = [submissions.exists(livingOf(projectId)), uploads.exists({ projectId, emptied: null })];
      return (await Promise.all(some)).some(Boolean);
    },
    async countOfProject(projectId: string) {
      const [landed, begun, written] = await Promise.all([
        submissions.countDocuments(livingOf(projectId)),
        uploads.countDocuments({ projectId, emptied: null }),
        notes.countDocuments({ projectId }),
      ]);
      return { submissions: landed, uploads: begun, notes: written };
    },
  };
}

type ProjectRow = { _id: unknown; at: Date } & Partial<OwnedErasure>;

function fromProjectRow(row: ProjectRow | null): ErasedProject | undefined {
  if (!row) return undefined;
  const { _id, at, ownerId, announcedAt, doneAt, recordsEndAt, removed = {}, removedOfProject = {} } = row;
  if (ownerId === undefined) return { id: String(_id), at };
  const times = {
    ...(announcedAt && { announcedAt }),
    ...(doneAt && { doneAt }),
    ...(recordsEndAt && { recordsEndAt }),
  };
  return { id: String(_id), at, owned: { ownerId, ...times, removed, removedOfProject } };
}

function projectsPart({ erasures }: Models) {
  return {
    async begin({ projectId, ownerId }: { projectId: string; ownerId: string }, purgeMs: number) {
      const at = await databaseNow(erasures);
      const before = await erasures
        .findOneAndUpdate(
          { _id: projectId },
          { $setOnInsert: { at, purgeAt: later(at, purgeMs) }, $set: { ownerId } },
          { upsert: true, projection: { ownerId: 1 } },
        )
        .lean();
      const row = (await erasures.findById(projectId).lean()) as ProjectRow;
      return { ...fromProjectRow(row)!, isNew: !before?.ownerId };
    },
    async addRemoved(projectId: string, counts: { removed?: object; removedOfProject?: object }) {
      const more = Object.entries(counts).flatMap(([part, numbers]) =>
        Object.entries(numbers).flatMap(([name, count]) => (count > 0 ? [[`${part}.${name}`, count]] : [])),
      );
      if (more.length > 0) await erasures.updateOne({ _id: projectId }, { $inc: Object.fromEntries(more) });
    },
    async announced(projectId: string) {
      await erasures.updateOne({ _id: projectId }, { $currentDate: { announcedAt: true } });
    },
    async done(projectId: string, recordsEndAt: Date | undefined) {
      const end = recordsEndAt ? { $set: { recordsEndAt } } : {};
      await erasures.updateOne({ _id: projectId, doneAt: null }, { ...end, $currentDate: { doneAt: true } });
    },
    async closeProject(projectId: string, purgeMs: number) {
      const at = await databaseNow(erasures);
      const erased = { at, purgeAt: later(at, purgeMs) };
      await erasures.updateOne({ _id: projectId }, { $setOnInsert: erased }, { upsert: true });
    },
    findProject: async (projectId: string) =>
      fromProjectRow((await erasures.findById(projectId).lean()) as ProjectRow | null),
    async projectPurged(projectId: string, purgeAt: Date | undefined) {
      if (purgeAt) await erasures.updateOne({ _id: projectId }, { $set: { purgeAt } });
      else await erasures.deleteOne({ _id: projectId });
    },
    async takeDueProject(keepMs: number) {
      const now = await databaseNow(erasures);
      const kept = { $set: { purgeAt: later(now, keepMs) } };
      const due = await erasures
        .findOne({ purgeAt: { $lte: now } }, { _id: 1 })
        .sort({ purgeAt: 1 })
        .lean();
      if (!due) return undefined;
      const one = { _id: due._id, purgeAt: { $lte: now } };
      return fromProjectRow((await erasures.findOneAndUpdate(one, kept).lean()) as ProjectRow | null);
    },
  };
}
