import { backoffMs } from '@recording-request/kit/bounds';
import { serverTime } from '@recording-request/kit/clock';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import { isDuplicateKey } from '@recording-request/kit/mongo';
import { runningTrace } from '@recording-request/kit/telemetry/span';
import type { Checksums, RefusalReason, Upload, UploadState } from '../domain/upload.ts';
import { databaseNow } from './database-clock.ts';
import { type Models, RESPONSE_INDEX, UPLOAD_INDEX } from './models.ts';
import { createUploadLeases, landingBy, type UploadLeases } from './upload-leases.ts';
import { createUploadParts, type UploadParts } from './upload-parts.ts';
import { uploadFromRow, WITHOUT_PARTS } from './upload-row.ts';

/** Where a list of uploads goes on. */
export type UploadPlace = Pick<Upload, 'lastByteAt' | 'id'>;

export interface UploadStore extends UploadLeases, Omit<UploadParts, 'removePages'> {
  /** Stores a new upload. Returns false where its response has `openMax` open ones already. */
  insert(upload: Upload, openMax: number): Promise<boolean>;
  find(id: string): Promise<Upload | undefined>;
  /** The newest uploads of a response, in the order in which they began; those that their client ended are not shown. */
  ofResponse(linkId: string, responseId: string): Promise<Upload[]>;
  /** The questions of the response of which an upload is landing. */
  landingQuestions(linkId: string, responseId: string): Promise<number[]>;
  /** Whether another upload of the same response is open or landing. */
  hasOthers(upload: Upload): Promise<boolean>;
  declareLength(id: string, writerId: string, length: number): Promise<boolean>;
  renewed(id: string): Promise<void>;
  /** `uploading` → `finishing` when every byte is there; mints the submission's id. Returns the upload after that. */
  finish(id: string): Promise<Upload | undefined>;
  /**
   * `uploading` → `finishing` for one that was sent but never became complete. False where a byte came within `holdMs`
   * by now, or somebody writes to it at this moment.
   */
  salvage(id: string, holdMs: number): Promise<boolean>;
  /** `uploading` → `deleted` for one that was never sent; false as above. */
  expire(id: string, holdMs: number): Promise<boolean>;
  /** Returns false, and writes nothing, where the worker has lost its lease. */
  assembled(id: string, workerId: string, checksums: Checksums): Promise<boolean>;
  land(id: string): Promise<void>;
  /** Returns false, and writes nothing, where the worker has lost its lease. */
  refuse(id: string, workerId: string, reason: RefusalReason, error: string): Promise<boolean>;
  /** `finishing` → `refused`, for what can never land. Its bytes stay. Returns false as above. */
  fail(id: string, workerId: string, error: string): Promise<boolean>;
  /** `refused` by `fail` → `finishing`: it is tried again, and held again from now. Returns false for any other. */
  retry(id: string): Promise<boolean>;
  /** Those that `fail` ended, and unless `failedOnly` those that are tried again; by their last byte, from behind `after` on. */
  troubled(limit: number, failedOnly: boolean, after?: UploadPlace): Promise<Upload[]>;
  /** `refused` → `deleted` for one whose hold is over by now. Returns false for any other. */
  forget(id: string, holdMs: number): Promise<boolean>;
  /** Ended by its client: kept without its bytes until the sweeper has seen to its response. */
  markDeleted(id: string): Promise<boolean>;
  delete(id: string): Promise<void>;
  /**
   * Records a failed landing, and delays the next try longer each time, so that it blocks no other. `isFault`: not because
   * something was away. Returns how many failed, and how many of those were faults.
   */
  failed(id: string, isFault: boolean, problem: string): Promise<{ failures: number; faults: number }>;
  /** Uploads whose landing is due, the longest waiting first. */
  due(limit: number): Promise<Upload[]>;
  /** Uploads in a state whose last byte came more than `idleMs` ago by the database's clock, oldest first. */
  idle(state: UploadState, idleMs: number, limit: number): Promise<Upload[]>;
  /** Uploads that have every byte of their declared length, and that no process began to finish. */
  complete(limit: number): Promise<Upload[]>;
  /** Looks through all open uploads for those that a process of an earlier version left complete, which noted nothing. */
  noteComplete(): Promise<void>;
}

// The request that brought the last byte has its time before the sweeper looks.
const FINISHING_GRACE_MS = 3_000;
const RETRY_BASE_MS = 2_500;
const RETRY_MAX_MS = 10 * 60_000;
// Contributors retake; a page shows what is new.
const SHOWN = 200;
// By name: each is a range of the index, in which the newest come first.
const SHOWN_STATES: UploadState[] = ['uploading', 'finishing', 'landed', 'refused'];
const SLOT_TRIES = 50;
const NO_PARTS = { parts: [], pages: [] };

/** The filter of an upload that nobody writes to, and whose last byte is older than its hold, by the database's clock. */
const abandoned = (id: string, holdMs: number) => ({
  _id: id,
  state: 'uploading',
  $expr: {
    $and: [{ $lt: ['$lastByteAt', serverTime(-holdMs)] }, { $not: { $gt: ['$writer.until', '$$NOW'] } }],
  },
});

/** A submission's id is never of an earlier time than its creation: lists rely on it. */
function beginning() {
  const finishingAt = new Date();
  const nextTryAt = inMs(FINISHING_GRACE_MS);
  const trace = runningTrace();
  const traced = trace.traceparent === '' ? {} : { trace };
  return { state: 'finishing', finishingAt, submissionId: uuidv7(), nextTryAt, ...traced };
}

const inMs = (ms: number): Date => new Date(Date.now() + ms);

export function createUploadStore(models: Models): UploadStore {
  const { uploads } = models;
  const { removePages, ...parts } = createUploadParts(models);
  const updated = async (filter: object, update: object, options: object = {}): Promise<boolean> =>
    (await uploads.updateOne(filter, update, options)).matchedCount > 0;
  const found = async (query: object, sort: object, limit: number, index?: string | object): Promise<Upload[]> => {
    const rows = uploads
      .find(query, WITHOUT_PARTS)
      .sort(sort as never)
      .limit(limit);
    return (await (index ? rows.hint(index as never) : rows).lean()).map(uploadFromRow);
  };
  const ofResponse = (query: object) => uploads.find(query, { slot: 1, questionIndex: 1 }).hint(RESPONSE_INDEX);
  return {
    ...createUploadLeases(uploads),
    ...parts,
    async insert({ id, ...rest }, openMax) {
      const { linkId, responseId } = rest;
      for (let tries = 0; tries < SLOT_TRIES; tries++) {
        const open = await ofResponse({ linkId, responseId, state: 'uploading' }).limit(openMax).lean();
        if (open.length >= openMax) return false;
        const taken = new Set(open.map(upload => upload.slot));
        const free = Array.from({ length: openMax }, (_, slot) => slot).filter(slot => !taken.has(slot));
        // Any of them: two that begin at the same time seldom want the same.
        const slot = free[Math.floor(Math.random() * free.length)]!;
        try {
          const complete = rest.length === rest.offset ? { completeAt: rest.createdAt } : {};
          await uploads.create({ _id: id, ...rest, ...complete, parts: [], slot });
          return true;
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
        }
      }
      throw new DomainError('unavailable', 'Many uploads of this response begin at once; try again in a moment.');
    },
    async find(id) {
      const row = await uploads.findById(id, WITHOUT_PARTS).lean();
      return row ? uploadFromRow(row) : undefined;
    },
    ofResponse: async (linkId, responseId) =>
      (await found({ linkId, responseId, state: { $in: SHOWN_STATES } }, { _id: -1 }, SHOWN, RESPONSE_INDEX)).reverse(),
    async landingQuestions(linkId, responseId) {
      const landing = await ofResponse({ linkId, responseId, state: 'finishing' }).lean();
      return [...new Set(landing.map(({ questionIndex }) => questionIndex))];
    },
    async hasOthers({ id, linkId, responseId }) {
      const state = { $in: ['uploading', 'finishing'] };
      return (
        (
          await ofResponse({ linkId, responseId, _id: { $ne: id }, state })
            .limit(1)
            .lean()
        ).length > 0
      );
    },
    declareLength: (id, writerId, length) =>
      updated(
        { _id: id, state: 'uploading', 'writer.id': writerId, length: null, offset: { $lte: length } },
        [{ $set: { length, completeAt: { $cond: [{ $eq: ['$offset', length] }, '$$NOW', '$$REMOVE'] } } }],
        { updatePipeline: true },
      ),
    async renewed(id) {
      await uploads.updateOne({ _id: id }, { $set: { renewedAt: new Date() } });
    },
    async finish(id) {
      await uploads.updateOne(
        { _id: id, state: 'uploading', length: { $ne: null }, $expr: { $eq: ['$offset', '$length'] } },
        { $set: beginning(), $unset: { completeAt: 1 } },
      );
      return this.find(id);
    },
    salvage: (id, holdMs) =>
      updated(
        { ...abandoned(id, holdMs), length: { $ne: null }, offset: { $gt: 0 } },
        { $set: { ...beginning(), incomplete: true } },
      ),
    expire: (id, holdMs) =>
      updated(
        { ...abandoned(id, holdMs), $or: [{ length: null }, { offset: 0 }] },
        { $set: { state: 'deleted' }, $currentDate: { lastByteAt: true } },
      ),
    assembled: (id, workerId, checksums) => updated(landingBy(id, workerId), { $set: checksums }),
    async land(id) {
      // In this order: nothing looks for pages of an upload that has landed.
      await removePages([id]);
      await uploads.updateOne({ _id: id, state: 'finishing' }, { $set: { state: 'landed', ...NO_PARTS } });
    },
    async refuse(id, workerId, reason, error) {
      const refused = await updated(landingBy(id, workerId), {
        $set: { state: 'refused', refusal: reason, error, superseded: reason === 'answered', ...NO_PARTS },
      });
      if (refused) await removePages([id]);
      return refused;
    },
    fail: (id, workerId, error) =>
      updated(landingBy(id, workerId), { $set: { state: 'refused', refusal: 'failed', error, superseded: false } }),
    retry: id =>
      updated(
        { _id: id, state: 'refused', refusal: 'failed' },
        {
          $set: { state: 'finishing', nextTryAt: new Date(), failures: 0, faults: 0 },
          $currentDate: { lastByteAt: true },
          $unset: { refusal: 1, error: 1 },
        },
      ),
    async troubled(limit, failedOnly, after) {
      const behind = after && {
        lastByteAt: { $gte: after.lastByteAt },
        $nor: [{ lastByteAt: after.lastByteAt, _id: { $lte: after.id } }],
      };
      const order = { lastByteAt: 1, _id: 1 };
      const ended = { state: 'refused', refusal: 'failed', ...behind };
      const tried = { state: 'finishing', failures: { $gt: 0 }, ...behind };
      const both = await Promise.all([
        found(ended, order, limit, UPLOAD_INDEX.failed),
        failedOnly ? [] : found(tried, order, limit, UPLOAD_INDEX.failing),
      ]);
      return both
        .flat()
        .sort((a, b) => a.lastByteAt.getTime() - b.lastByteAt.getTime() || (a.id < b.id ? -1 : 1))
        .slice(0, limit);
    },
    forget: (id, holdMs) =>
      updated(
        { _id: id, state: 'refused', $expr: { $lt: ['$lastByteAt', serverTime(-holdMs)] } },
        { $set: { state: 'deleted' } },
      ),
    markDeleted: id =>
      updated(
        { _id: id, state: { $in: ['uploading', 'refused'] } },
        { $set: { state: 'deleted', ...NO_PARTS }, $currentDate: { lastByteAt: true } },
      ),
    async delete(id) {
      await removePages([id]);
      await uploads.deleteOne({ _id: id, state: { $in: ['uploading', 'refused', 'deleted'] } });
    },
    async failed(id, isFault, problem) {
      const row = await uploads
        .findOneAndUpdate(
          { _id: id },
          { $inc: { failures: 1, faults: isFault ? 1 : 0 }, $set: { problem } },
          { returnDocument: 'after', projection: { failures: 1, faults: 1 } },
        )
        .lean();
      const { failures, faults } = { failures: row?.failures ?? 1, faults: row?.faults ?? 0 };
      await uploads.updateOne(
        { _id: id },
        { $set: { nextTryAt: inMs(backoffMs(failures, RETRY_BASE_MS, RETRY_MAX_MS)) } },
      );
      return { failures, faults };
    },
    // Also those without a time: rows of a version that noted none.
    due: limit => found({ state: 'finishing', nextTryAt: { $not: { $gt: new Date() } } }, { nextTryAt: 1 }, limit),
    async idle(state, idleMs, limit) {
      const before = new Date((await databaseNow(uploads)).getTime() - idleMs);
      return found({ state, lastByteAt: { $lt: before } }, { lastByteAt: 1 }, limit);
    },
    complete: limit =>
      found({ state: 'uploading', completeAt: { $gt: new Date(0) } }, { completeAt: 1 }, limit, UPLOAD_INDEX.complete),
    async noteComplete() {
      const isWhole = { length: { $ne: null }, $expr: { $eq: ['$offset', '$length'] } };
      await uploads.updateMany(
        { state: 'uploading', completeAt: null, ...isWhole },
        { $currentDate: { completeAt: true } },
      );
    },
  };
}
