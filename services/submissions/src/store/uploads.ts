import { backoffMs } from '@recording-request/kit/bounds';
import { uuidv7 } from '@recording-request/kit/ids';
import type { Part, RefusalReason, Upload, UploadState } from '../domain/upload.ts';
import type { Models } from './models.ts';

export interface UploadStore {
  insert(upload: Upload): Promise<void>;
  find(id: string): Promise<Upload | undefined>;
  ofResponse(linkId: string, responseId: string): Promise<Upload[]>;
  /** Records a part that is stored; false when the offset is not where the part begins, or another request writes. */
  append(id: string, writerId: string, part: Part): Promise<boolean>;
  declareLength(id: string, writerId: string, length: number): Promise<boolean>;
  renewed(id: string): Promise<void>;
  /** For the uploads that are under way and those to come; false when the clip was sent already. */
  setNote(
    key: { projectId: string; linkId: string; responseId: string; questionIndex: number | undefined },
    note: string,
  ): Promise<boolean>;
  /** The note that was set before the upload was created; "" where there is none. */
  noteOf(linkId: string, responseId: string, questionIndex: number): Promise<string>;
  /** `uploading` → `finishing` when every byte is there; mints the submission's id. The upload as it is then. */
  finish(id: string): Promise<Upload | undefined>;
  /** The same for one that was sent but whose bytes never all came. */
  salvage(id: string): Promise<boolean>;
  /** False, and nothing is written, where the worker has lost it. */
  assembled(id: string, workerId: string, sha256: string): Promise<boolean>;
  land(id: string): Promise<void>;
  /** False, and nothing is written, where the worker has lost it. */
  refuse(id: string, workerId: string, reason: RefusalReason, error: string): Promise<boolean>;
  /** Ended by its client: kept without its bytes until the sweeper has seen to its response. */
  markDeleted(id: string): Promise<boolean>;
  forget(id: string): Promise<void>;
  /** The right to write: taken, kept by renewing it, given back. */
  takeWriter(id: string, writerId: string, leaseMs: number): Promise<'taken' | 'busy' | 'missing'>;
  renewWriter(id: string, writerId: string, leaseMs: number): Promise<'held' | 'wanted' | 'lost'>;
  releaseWriter(id: string, writerId: string): Promise<void>;
  /** The right to make it land. */
  takeWorker(id: string, workerId: string, leaseMs: number): Promise<Upload | undefined>;
  /** False: another worker has taken it, or it has ended. */
  renewWorker(id: string, workerId: string, leaseMs: number): Promise<boolean>;
  releaseWorker(id: string, workerId: string): Promise<void>;
  /** A landing failed: it waits longer each time, so that one that cannot succeed keeps no other waiting. Resolves to how often. */
  failed(id: string): Promise<number>;
  /** Those whose landing is to be tried now, the longest waiting first. */
  due(limit: number): Promise<Upload[]>;
  /** Ids of those in a state whose last byte is older than `before`, oldest first. */
  idle(state: UploadState, before: Date, limit: number): Promise<Upload[]>;
  /** Those with every byte and the length declared that nobody began to finish. */
  complete(limit: number): Promise<Upload[]>;
}

type Row = Omit<Upload, 'id'> & { _id: string };

function fromRow(row: unknown): Upload {
  const { _id, ...rest } = row as Row;
  return { ...rest, id: _id, length: rest.length ?? undefined };
}

// The request that brought the last byte has its time before the sweeper looks.
const FINISHING_GRACE_MS = 3_000;
const RETRY_BASE_MS = 2_500;
const RETRY_MAX_MS = 10 * 60_000;

const inMs = (ms: number): Date => new Date(Date.now() + ms);

const landingBy = (id: string, workerId: string) => ({ _id: id, state: 'finishing', 'worker.id': workerId });

/** Of one answer, or of all that have none of their own. */
export const noteId = (linkId: string, responseId: string, questionIndex: number | undefined): string =>
  `${linkId}/${responseId}/${questionIndex ?? 'all'}`;

export function createUploadStore({ uploads, notes }: Models): UploadStore {
  const updated = async (filter: object, update: object): Promise<boolean> =>
    (await uploads.updateOne(filter, update)).matchedCount > 0;
  const found = async (query: object, sort: object, limit: number): Promise<Upload[]> =>
    (
      await uploads
        .find(query)
        .sort(sort as never)
        .limit(limit)
        .lean()
    ).map(fromRow);
  return {
    ...rights(uploads),
    async insert({ id, ...rest }) {
      await uploads.create({ _id: id, ...rest });
    },
    async find(id) {
      const row = await uploads.findById(id).lean();
      return row ? fromRow(row) : undefined;
    },
    ofResponse: (linkId, responseId) => found({ linkId, responseId, state: { $ne: 'deleted' } }, { _id: 1 }, 200),
    append: (id, writerId, part) =>
      updated(
        { _id: id, state: 'uploading', offset: part.offset, 'writer.id': writerId },
        { $inc: { offset: part.size }, $push: { parts: part }, $set: { lastByteAt: new Date() } },
      ),
    declareLength: (id, writerId, length) =>
      updated(
        { _id: id, state: 'uploading', 'writer.id': writerId, length: null, offset: { $lte: length } },
        { $set: { length } },
      ),
    async renewed(id) {
      await uploads.updateOne({ _id: id }, { $set: { renewedAt: new Date() } });
    },
    async setNote({ projectId, linkId, responseId, questionIndex }, note) {
      const question = questionIndex === undefined ? {} : { questionIndex };
      const now = await uploads
        .find({ linkId, responseId, ...question, state: { $in: ['uploading', 'finishing', 'landed'] } }, { state: 1 })
        .lean();
      if (now.length > 0 && !now.some(upload => upload.state === 'uploading')) return false;
      await notes.updateOne(
        { _id: noteId(linkId, responseId, questionIndex) },
        { $set: { projectId, note, at: new Date() } },
        { upsert: true },
      );
      await uploads.updateMany({ linkId, responseId, state: 'uploading', ...question }, { $set: { note } });
      return true;
    },
    async noteOf(linkId, responseId, questionIndex) {
      const ids = [noteId(linkId, responseId, questionIndex), noteId(linkId, responseId, undefined)];
      const rows = await notes.find({ _id: { $in: ids } }).lean();
      return (rows.find(row => row._id === ids[0]) ?? rows[0])?.note ?? '';
    },
    async finish(id) {
      const submissionId = uuidv7();
      await uploads.updateOne(
        { _id: id, state: 'uploading', length: { $ne: null }, $expr: { $eq: ['$offset', '$length'] } },
        { $set: { state: 'finishing', submissionId, finishingAt: new Date(), nextTryAt: inMs(FINISHING_GRACE_MS) } },
      );
      return this.find(id);
    },
    salvage: id =>
      updated(
        { _id: id, state: 'uploading', length: { $ne: null }, offset: { $gt: 0 } },
        {
          $set: {
            state: 'finishing',
            submissionId: uuidv7(),
            finishingAt: new Date(),
            nextTryAt: inMs(FINISHING_GRACE_MS),
            incomplete: true,
          },
        },
      ),
    assembled: (id, workerId, sha256) => updated(landingBy(id, workerId), { $set: { sha256 } }),
    async land(id) {
      await uploads.updateOne({ _id: id, state: 'finishing' }, { $set: { state: 'landed', parts: [] } });
    },
    refuse: (id, workerId, reason, error) =>
      updated(landingBy(id, workerId), {
        $set: { state: 'refused', refusal: reason, error, superseded: reason === 'answered', parts: [] },
      }),
    markDeleted: id =>
      updated(
        { _id: id, state: { $in: ['uploading', 'refused'] } },
        { $set: { state: 'deleted', parts: [], lastByteAt: new Date() } },
      ),
    async forget(id) {
      await uploads.deleteOne({ _id: id, state: { $in: ['uploading', 'refused', 'deleted'] } });
    },
    async failed(id) {
      const row = await uploads
        .findOneAndUpdate({ _id: id }, { $inc: { failures: 1 } }, { returnDocument: 'after' })
        .lean();
      const failures = row?.failures ?? 1;
      await uploads.updateOne(
        { _id: id },
        { $set: { nextTryAt: inMs(backoffMs(failures, RETRY_BASE_MS, RETRY_MAX_MS)) } },
      );
      return failures;
    },
    // Also those without a time: rows of a version that noted none.
    due: limit => found({ state: 'finishing', nextTryAt: { $not: { $gt: new Date() } } }, { nextTryAt: 1 }, limit),
    idle: (state, before, limit) => found({ state, lastByteAt: { $lt: before } }, { lastByteAt: 1 }, limit),
    complete: limit =>
      found(
        { state: 'uploading', length: { $ne: null }, $expr: { $eq: ['$offset', '$length'] } },
        { lastByteAt: 1 },
        limit,
      ),
  };
}

type Rights = Pick<
  UploadStore,
  'takeWriter' | 'renewWriter' | 'releaseWriter' | 'takeWorker' | 'renewWorker' | 'releaseWorker'
>;

function rights(uploads: Models['uploads']): Rights {
  const free = (field: string, id: string) => [
    { [field]: null },
    { [`${field}.until`]: { $lte: new Date() } },
    { [`${field}.id`]: id },
  ];
  return {
    async takeWriter(id, writerId, leaseMs) {
      const taken = await uploads.updateOne(
        { _id: id, $or: free('writer', writerId) },
        { $set: { writer: { id: writerId, until: inMs(leaseMs), wanted: false } } },
      );
      if (taken.matchedCount > 0) return 'taken';
      await uploads.updateOne({ _id: id, writer: { $ne: null } }, { $set: { 'writer.wanted': true } });
      // The holder may have let go in between: then the next try takes it.
      return (await uploads.exists({ _id: id })) ? 'busy' : 'missing';
    },
    async renewWriter(id, writerId, leaseMs) {
      const row = await uploads
        .findOneAndUpdate(
          { _id: id, 'writer.id': writerId },
          { $set: { 'writer.until': inMs(leaseMs) } },
          { projection: { writer: 1 } },
        )
        .lean();
      if (!row) return 'lost';
      return row.writer?.wanted ? 'wanted' : 'held';
    },
    async releaseWriter(id, writerId) {
      await uploads.updateOne({ _id: id, 'writer.id': writerId }, { $unset: { writer: 1 } });
    },
    async takeWorker(id, workerId, leaseMs) {
      const row = await uploads
        .findOneAndUpdate(
          { _id: id, state: 'finishing', $or: free('worker', workerId) },
          { $set: { worker: { id: workerId, until: inMs(leaseMs) } } },
          { returnDocument: 'after' },
        )
        .lean();
      return row ? fromRow(row) : undefined;
    },
    async renewWorker(id, workerId, leaseMs) {
      const held = await uploads.updateOne(landingBy(id, workerId), { $set: { 'worker.until': inMs(leaseMs) } });
      return held.matchedCount > 0;
    },
    async releaseWorker(id, workerId) {
      await uploads.updateOne({ _id: id, 'worker.id': workerId }, { $unset: { worker: 1 } });
    },
  };
}
