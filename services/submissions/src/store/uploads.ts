import { backoffMs } from '@recording-request/kit/bounds';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import { serverTime } from '@recording-request/kit-mongo/clock';
import { isDuplicateKey } from '@recording-request/kit-mongo/mongo';
import {
  type Checksums,
  type Part,
  questionsOf,
  type RefusalReason,
  type ResponseKey,
  type Upload,
  type UploadKey,
  type UploadState,
  type UploadUnderWay,
} from '../domain/uploads/upload.ts';
import { databaseNow } from './database-clock.ts';
import { type Models, RESPONSE_INDEX, UPLOAD_INDEX } from './models.ts';
import { createUploadLeases, landingBy, type UploadLeases } from './upload-leases.ts';
import { createUploadParts, inOrder, NEVER_PAGED, type UploadParts } from './upload-parts.ts';
import { tracedNow, uploadAt, uploadFromRow, WITHOUT_PARTS } from './upload-row.ts';

/** The position at which the next page of a list of uploads begins. */
export type UploadPlace = Pick<Upload, 'lastByteAt' | 'id'>;

export interface UploadStore extends UploadLeases, Omit<UploadParts, 'removePages'> {
  /**
   * Stores a new upload. Returns false when its response already has `openMax` open uploads. `known`: the response's
   * uploads as read shortly before.
   */
  insert(upload: Upload, openMax: number, known?: UploadUnderWay[]): Promise<boolean>;
  find(key: UploadKey): Promise<Upload | undefined>;
  /** Does the same as `find` on every shard, because the operator's request does not contain the project. */
  findAnywhere(id: string): Promise<Upload | undefined>;
  /** Returns the newest uploads of a response, in order of creation, without uploads that the client deleted. */
  ofResponse(key: ResponseKey): Promise<Upload[]>;
  /** Returns the questions of a response whose upload is landing. */
  landingQuestions(key: ResponseKey): Promise<number[]>;
  /** Returns the uploads of a response that are open or landing. */
  underWay(key: ResponseKey): Promise<UploadUnderWay[]>;
  /**
   * Returns refused and deleted uploads of a response. Omits the `newest` of each state, and uploads that are kept for
   * the operator.
   */
  endedBefore(key: ResponseKey, newest: number): Promise<Upload[]>;
  /** Returns whether another upload of the same response is open or landing. */
  hasOthers(upload: Upload): Promise<boolean>;
  declareLength(key: UploadKey, writerId: string, length: number): Promise<boolean>;
  /** `uploading` → `finishing` for a complete upload. Creates the submission's id. */
  finish(key: UploadKey): Promise<void>;
  /**
   * Does the same as `finish`, and takes the landing's lease in the same write. Stores `checksums` if they cover all
   * bytes and the upload has no pages. Returns undefined when the upload is not `uploading` or not complete. The result
   * includes the parts if the upload has no pages.
   */
  finishAs(
    key: UploadKey,
    workerId: string,
    leaseMs: number,
    checksums?: Checksums & { bytes: number },
  ): Promise<Upload | undefined>;
  /**
   * `uploading` → `finishing` for an upload that was sent but is incomplete. Returns false when a byte arrived within
   * `holdMs`, or a request is writing.
   */
  salvage(key: UploadKey, holdMs: number): Promise<boolean>;
  /** `uploading` → `deleted` for an upload that was never sent. Returns false in the same cases as `salvage`. */
  expire(key: UploadKey, holdMs: number): Promise<boolean>;
  /** `finishing` → `landed`; ends the lease. If the upload has pages, its parts become due for removal. */
  land(key: UploadKey): Promise<void>;
  /** `refused` or `deleted` → `landed` for an upload that another process has already delivered. */
  hasLanded(key: UploadKey): Promise<void>;
  /** Returns landed uploads whose parts are due for removal; hides them from other processes for a while. */
  takePartsLeft(limit: number): Promise<UploadKey[]>;
  partsRemoved(key: UploadKey): Promise<void>;
  /** `finishing` → `refused`; ends the lease. Returns false, and writes nothing, when the worker has lost the lease. */
  refuse(key: UploadKey, workerId: string, reason: RefusalReason, error: string): Promise<boolean>;
  /**
   * `finishing` → `refused` for an upload that can never land; its bytes are kept. Returns false in the same case as
   * `refuse`.
   */
  fail(key: UploadKey, workerId: string, error: string): Promise<boolean>;
  /** `refused` by `fail` → `finishing`, for another try; the hold starts again now. Returns false for other uploads. */
  retry(key: UploadKey): Promise<boolean>;
  /**
   * Returns uploads that `fail` ended; without `failedOnly`, also uploads whose failed landings are retried. Orders
   * them by the time of their last byte, and begins after `after`.
   */
  troubled(limit: number, failedOnly: boolean, after?: UploadPlace): Promise<Upload[]>;
  /** `refused` → `deleted` for an upload whose hold has expired. Returns false for other uploads. */
  forget(key: UploadKey, holdMs: number): Promise<boolean>;
  /**
   * Marks an upload as ended by its client. Its row stays, without the parts, until the sweeper has released the
   * upload's response.
   */
  markDeleted(key: UploadKey): Promise<boolean>;
  delete(key: UploadKey): Promise<void>;
  /**
   * Records a failed landing. The pause before the next try grows each time, so that this upload does not block others.
   * `isFault`: the failure was not an outage. Returns the numbers of failures and of faults.
   */
  failed(key: UploadKey, isFault: boolean, problem: string): Promise<{ failures: number; faults: number }>;
  /** Returns uploads whose landing is due, the longest waiting first; omits the uploads of some owners. */
  due(limit: number, withoutOwners?: string[]): Promise<Upload[]>;
  /**
   * Returns uploads in a state whose last byte arrived more than `idleMs` ago by the database's clock, oldest first.
   */
  idle(state: UploadState, idleMs: number, limit: number): Promise<Upload[]>;
  /** Returns uploads that have all bytes of their declared length and whose landing was not started. */
  complete(limit: number): Promise<Upload[]>;
}

// The request that sent the last byte has this much time to start the landing before the sweeper does.
const FINISHING_GRACE_MS = 3_000;
const RETRY_BASE_MS = 2_500;
const RETRY_MAX_MS = 10 * 60_000;
// A page shows only the newest uploads, because contributors may record many retakes.
const SHOWN = 200;
// The query names the states, because each state is one range of the index, with the newest uploads first.
const SHOWN_STATES: UploadState[] = ['uploading', 'finishing', 'landed', 'refused'];
const SLOT_TRIES = 50;
// If a process dies while it removes parts, another process retries after this time.
const LOOK_AGAIN_MS = 60_000;

const responseAt = ({ linkId, responseId, projectId }: ResponseKey) => ({ linkId, responseId, projectId });
const NO_PARTS = { parts: [], pages: [] };
const NO_WORKER = { $unset: { worker: 1 } };

/** Returns the filter of an upload that has no writer and whose hold has expired by the database's clock. */
const abandoned = (key: UploadKey, holdMs: number) => ({
  ...uploadAt(key),
  state: 'uploading',
  $expr: {
    $and: [{ $lt: ['$lastByteAt', serverTime(-holdMs)] }, { $not: { $gt: ['$writer.until', '$$NOW'] } }],
  },
});

/** Returns the filter of a complete upload whose landing was not started. */
const whole = (key: UploadKey) => ({
  ...uploadAt(key),
  state: 'uploading',
  length: { $ne: null },
  $expr: { $eq: ['$offset', '$length'] },
});

/**
 * Returns the fields of a started landing. The submission's id is created after `finishingAt`, so the time in it is
 * never earlier. Lists rely on this.
 */
function beginning() {
  const finishingAt = new Date();
  const nextTryAt = inMs(FINISHING_GRACE_MS);
  return { state: 'finishing', finishingAt, submissionId: uuidv7(), nextTryAt, ...tracedNow() };
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
  const ofResponse = (query: object) =>
    uploads.find(query, { slot: 1, questionIndex: 1, state: 1 }).hint(RESPONSE_INDEX);
  const underWay = async (key: ResponseKey) =>
    (await ofResponse({ ...responseAt(key), state: { $in: ['uploading', 'finishing'] } }).lean()) as UploadUnderWay[];
  return {
    ...createUploadLeases(uploads),
    ...parts,
    async insert({ id, ...rest }, openMax, known) {
      for (let tries = 0; tries < SLOT_TRIES; tries++) {
        const present = tries === 0 && known ? known : await underWay(rest);
        const open = present.filter(({ state }) => state === 'uploading');
        if (open.length >= openMax) return false;
        const taken = new Set(open.map(upload => upload.slot));
        const free = Array.from({ length: openMax }, (_, slot) => slot).filter(slot => !taken.has(slot));
        // A random slot, because two uploads that start together then seldom choose the same slot.
        const slot = free[Math.floor(Math.random() * free.length)]!;
        try {
          const complete = rest.length === rest.offset ? { completeAt: rest.createdAt } : {};
          await uploads.create({ _id: id, ...rest, ...complete, parts: [], isPaged: false, slot });
          return true;
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
        }
      }
      throw new DomainError('unavailable', 'Many uploads of this response begin at once; try again in a moment.');
    },
    async find(key) {
      const row = await uploads.findOne(uploadAt(key), WITHOUT_PARTS).lean();
      return row ? uploadFromRow(row) : undefined;
    },
    async findAnywhere(id) {
      const row = await uploads.findById(id, WITHOUT_PARTS).lean();
      return row ? uploadFromRow(row) : undefined;
    },
    ofResponse: async key =>
      (await found({ ...responseAt(key), state: { $in: SHOWN_STATES } }, { _id: -1 }, SHOWN, RESPONSE_INDEX)).reverse(),
    landingQuestions: async key => questionsOf(await underWay(key)),
    underWay,
    async endedBefore(key, newest) {
      const older = (state: UploadState) =>
        uploads
          .find({ ...responseAt(key), state, refusal: { $ne: 'failed' } }, WITHOUT_PARTS)
          .hint(RESPONSE_INDEX)
          .sort({ _id: -1 })
          .skip(newest)
          .limit(SHOWN)
          .lean();
      return (await Promise.all([older('refused'), older('deleted')])).flat().map(uploadFromRow);
    },
    async hasOthers(upload) {
      const state = { $in: ['uploading', 'finishing'] };
      return (
        (
          await ofResponse({ ...responseAt(upload), _id: { $ne: upload.id }, state })
            .limit(1)
            .lean()
        ).length > 0
      );
    },
    declareLength: (key, writerId, length) =>
      updated(
        { ...uploadAt(key), state: 'uploading', 'writer.id': writerId, length: null, offset: { $lte: length } },
        [{ $set: { length, completeAt: { $cond: [{ $eq: ['$offset', length] }, '$$NOW', '$$REMOVE'] } } }],
        { updatePipeline: true },
      ),
    async finish(key) {
      await uploads.updateOne(whole(key), { $set: beginning(), $unset: { completeAt: 1 } });
    },
    async finishAs(
      key,
      workerId,
      leaseMs,
      { bytes, ...checksums }: Partial<Checksums> & { bytes: number } = { bytes: 0 },
    ) {
      // Uses $literal, because MongoDB would read a text that begins with $ as a field name.
      const begun = Object.entries(beginning()).map(([field, value]) => [field, { $literal: value }]);
      const worker = { id: workerId, until: serverTime(leaseMs) };
      const isAll = (stored: unknown) => ({ $eq: [stored, bytes] });
      const areAll = { $and: [isAll('$offset'), isAll({ $sum: '$parts.size' }), { $eq: ['$isPaged', false] }] };
      const noted = Object.entries(checksums).map(([field, value]) => [field, { $cond: [areAll, value, '$$REMOVE'] }]);
      const set = { ...Object.fromEntries([...begun, ...noted]), worker };
      const row = await uploads
        .findOneAndUpdate(whole(key), [{ $set: set }, { $unset: 'completeAt' }], {
          returnDocument: 'after',
          updatePipeline: true,
        })
        .lean();
      if (!row) return undefined;
      const { parts, pages: _, ...upload } = row;
      return uploadFromRow(row.isPaged ? upload : { ...upload, parts: inOrder(parts as Part[]) });
    },
    salvage: (key, holdMs) =>
      updated(
        { ...abandoned(key, holdMs), length: { $ne: null }, offset: { $gt: 0 } },
        { $set: { ...beginning(), incomplete: true } },
      ),
    expire: (key, holdMs) =>
      updated(
        { ...abandoned(key, holdMs), $or: [{ length: null }, { offset: 0 }] },
        { $set: { state: 'deleted' }, $currentDate: { lastByteAt: true } },
      ),
    async land(key) {
      const finishing = { ...uploadAt(key), state: 'finishing' };
      const landed = { $set: { state: 'landed', ...NO_PARTS }, ...NO_WORKER };
      if (await updated({ ...finishing, ...NEVER_PAGED }, landed)) return;
      // Removes the pages first, because after the landing no code looks for them.
      await removePages([key.id]);
      await updated(finishing, { ...landed, $currentDate: { partsDueAt: true } });
    },
    async hasLanded(key) {
      const ended = { ...uploadAt(key), state: { $in: ['refused', 'deleted'] } };
      const landed = { $set: { state: 'landed', ...NO_PARTS } };
      if (await updated({ ...ended, ...NEVER_PAGED }, landed)) return;
      await removePages([key.id]);
      await updated(ended, { ...landed, $currentDate: { partsDueAt: true } });
    },
    async takePartsLeft(limit) {
      const now = await databaseNow(uploads);
      const due = { partsDueAt: { $lte: now } };
      const rows = await uploads.find(due, { projectId: 1 }).sort({ partsDueAt: 1 }).limit(limit).lean();
      const keys = rows.map(({ _id, projectId }) => ({ id: String(_id), projectId }));
      const those = { _id: { $in: keys.map(({ id }) => id) }, projectId: { $in: keys.map(key => key.projectId) } };
      const again = new Date(now.getTime() + LOOK_AGAIN_MS);
      if (keys.length > 0) await uploads.updateMany({ ...those, ...due }, { $set: { partsDueAt: again } });
      return keys;
    },
    async partsRemoved(key) {
      await uploads.updateOne(uploadAt(key), { $unset: { partsDueAt: 1 } });
    },
    async refuse(key, workerId, reason, error) {
      const refused = await updated(landingBy(key, workerId), {
        $set: { state: 'refused', refusal: reason, error, superseded: reason === 'answered', ...NO_PARTS },
        ...NO_WORKER,
      });
      if (refused) await removePages([key.id]);
      return refused;
    },
    fail: (key, workerId, error) =>
      updated(landingBy(key, workerId), {
        $set: { state: 'refused', refusal: 'failed', error, superseded: false },
        ...NO_WORKER,
      }),
    retry: key =>
      updated(
        { ...uploadAt(key), state: 'refused', refusal: 'failed' },
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
    forget: (key, holdMs) =>
      updated(
        { ...uploadAt(key), state: 'refused', $expr: { $lt: ['$lastByteAt', serverTime(-holdMs)] } },
        { $set: { state: 'deleted' } },
      ),
    markDeleted: key =>
      updated(
        { ...uploadAt(key), state: { $in: ['uploading', 'refused'] } },
        { $set: { state: 'deleted', ...NO_PARTS }, $currentDate: { lastByteAt: true } },
      ),
    async delete(key) {
      await removePages([key.id]);
      await uploads.deleteOne({ ...uploadAt(key), state: { $in: ['uploading', 'refused', 'deleted'] } });
    },
    async failed(key, isFault, problem) {
      const row = await uploads
        .findOneAndUpdate(
          uploadAt(key),
          { $inc: { failures: 1, faults: isFault ? 1 : 0 }, $set: { problem } },
          { returnDocument: 'after', projection: { failures: 1, faults: 1 } },
        )
        .lean();
      const { failures, faults } = { failures: row?.failures ?? 1, faults: row?.faults ?? 0 };
      await uploads.updateOne(uploadAt(key), {
        $set: { nextTryAt: inMs(backoffMs(failures, RETRY_BASE_MS, RETRY_MAX_MS)) },
      });
      return { failures, faults };
    },
    due: (limit, withoutOwners = []) =>
      found(
        {
          ...{ state: 'finishing', nextTryAt: { $lte: new Date() } },
          ...(withoutOwners.length > 0 && { ownerId: { $nin: withoutOwners } }),
        },
        { nextTryAt: 1 },
        limit,
      ),
    async idle(state, idleMs, limit) {
      const before = new Date((await databaseNow(uploads)).getTime() - idleMs);
      return found({ state, lastByteAt: { $lt: before } }, { lastByteAt: 1 }, limit);
    },
    complete: limit =>
      found({ state: 'uploading', completeAt: { $gt: new Date(0) } }, { completeAt: 1 }, limit, UPLOAD_INDEX.complete),
  };
}
