import { outboxEntry } from '@recording-request/events/kafka';
import type { OutboxEntry } from '@recording-request/events/outbox';
import type { SubmissionEvent, Trace } from '../domain/clips/submission.ts';
import { toEvent } from '../messages.ts';
import { databaseNow } from './database-clock.ts';
import {
  type AnswerKey,
  type Erasable,
  type ErasedProject,
  FIELDS,
  fromProjectRow,
  fromRow,
  type LinkOfProject,
  type ProjectRow,
  type Row,
} from './erasable.ts';
import { CLOCKS_MS, firstIdAt } from './id-times.ts';
import { type LinkErasures, linksPart } from './link-erasures.ts';
import { type Models, RESPONSE_INDEX } from './models.ts';
import { noteId, notesOfLink } from './notes.ts';

export type { AnswerKey, Erasable, ErasedProject, LinkOfProject, OwnedErasure } from './erasable.ts';

/** The uploads and notes of an answer, of a link, or of a project. */
type EraseScope = AnswerKey | LinkOfProject | { projectId: string };

/** The records of erasures. All times are from the database's clock. */
export interface ErasureStore extends LinkErasures {
  now(): Promise<Date>;
  find(submissionId: string): Promise<Erasable | undefined>;
  /** Returns whether the response of an answer has a clip other than this submission. */
  hasOtherClip(answer: AnswerKey & { projectId: string }, submissionId: string): Promise<boolean>;
  /** Returns submissions of a project that were not erased. */
  ofProject(projectId: string, limit: number): Promise<Erasable[]>;
  countOfProject(projectId: string): Promise<{ submissions: number; uploads: number; notes: number }>;
  /** Returns whether the project has submissions or uploads that are not erased. */
  hasRest(projectId: string): Promise<boolean>;
  /** Returns submissions that landed more than `ageMs` ago, oldest first. */
  olderThan(ageMs: number, limit: number): Promise<Erasable[]>;
  /** Does the same in one project. */
  olderThanIn(project: { projectId: string; ownerId: string }, ageMs: number, limit: number): Promise<Erasable[]>;
  /**
   * Replaces the submission with its tombstone and the events of the erasure, in one write, so that a late result finds
   * no submission to update. The tombstone's purge is due after `purgeMs`. Returns false if another process was faster.
   */
  bury(submission: Erasable, purgeMs: number): Promise<boolean>;
  /** Empties the uploads of an answer, a link or a project, so that they accept no more bytes. Returns their ids. */
  emptyUploads(which: EraseScope, limit: number): Promise<string[]>;
  /**
   * Records that the bytes of these uploads were removed. The sweeper deletes the rows after it has purged the uploads'
   * prefix again.
   */
  uploadsPurged(ids: string[]): Promise<void>;
  uploadIds(which: EraseScope): AsyncIterable<string>;
  countNotes(answer: AnswerKey): Promise<number>;
  removeNotes(which: EraseScope): Promise<number>;
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
  /**
   * Does the same as `closeProject`, for an erasure by the owner, or of a link. Returns the erasure; `isNew` is true if
   * this call recorded it.
   */
  begin(
    which: { projectId: string; ownerId: string; linkId?: string },
    purgeMs: number,
  ): Promise<ErasedProject & { isNew: boolean }>;
  findProject(id: string): Promise<ErasedProject | undefined>;
  /** Adds to the counts of the owner's erasure. From here on, `id` is the id of a project or a link. */
  addRemoved(id: string, counts: { removed?: object; removedOfProject?: object }): Promise<void>;
  announced(projectId: string): Promise<void>;
  /** Records that nothing of the project is left. */
  done(projectId: string, recordsEndAt: Date | undefined): Promise<void>;
  projectPurged(projectId: string, purgeAt: Date | undefined): Promise<void>;
  /** Does the same as `takeDue` for an erased project or link. */
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

export function createErasureStore(models: Models): ErasureStore {
  return { ...submissionsPart(models), ...uploadsAndNotesPart(models), ...projectsPart(models), ...linksPart(models) };
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
      // An id contains the time of a process's clock, so `createdAt` decides. The condition on the id only prevents the
      // query from reading young clips.
      const _id = { $lt: firstIdAt(before.getTime() + CLOCKS_MS) };
      return many({ projectId, ownerId, _id, createdAt: { $lt: before } }, { _id: 1 }, limit);
    },
    async bury({ id, projectId, answer, trace }: Erasable, purgeMs: number) {
      const erasedAt = await databaseNow(submissions);
      const erased = { projectId, submissionId: id };
      // The first event makes the webhooks service delete its copies; the second event notifies the owner.
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
      // `changedAt` shows project-figures.ts that the project has changed.
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

function uploadsAndNotesPart({ submissions, uploads, partPages, notes }: Models) {
  const notesOf = (which: EraseScope) => {
    if ('projectId' in which) return 'linkId' in which ? notesOfLink(which) : { projectId: which.projectId };
    const { linkId, responseId, questionIndex } = which;
    return { _id: { $in: [noteId(linkId, responseId, questionIndex), noteId(linkId, responseId, undefined)] } };
  };
  // A link has few uploads, but its project may have very many, so a query for a link names its index.
  const indexFor = (which: EraseScope) => ('linkId' in which ? { hint: RESPONSE_INDEX } : {});
  return {
    async emptyUploads(which: EraseScope, limit: number) {
      const rows = await uploads
        .find({ ...which, emptied: null }, { _id: 1 }, indexFor(which))
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
    async *uploadIds(which: EraseScope) {
      for await (const row of uploads
        .find({ ...which, emptied: null }, { _id: 1 }, indexFor(which))
        .lean()
        .cursor())
        yield String(row._id);
    },
    countNotes: (answer: AnswerKey) => notes.countDocuments(notesOf(answer)),
    async removeNotes(which: EraseScope) {
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

function projectsPart({ erasures }: Models) {
  return {
    async begin(
      { projectId, ownerId, linkId }: { projectId: string; ownerId: string; linkId?: string },
      purgeMs: number,
    ) {
      const at = await databaseNow(erasures);
      const id = linkId ?? projectId;
      const ofLink = linkId === undefined ? {} : { projectId };
      const before = await erasures
        .findOneAndUpdate(
          { _id: id },
          { $setOnInsert: { at, purgeAt: later(at, purgeMs), ...ofLink }, $set: { ownerId } },
          { upsert: true, projection: { ownerId: 1 } },
        )
        .lean();
      const row = (await erasures.findById(id).lean()) as ProjectRow;
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
