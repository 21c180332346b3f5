import { backoffMs } from '@recording-request/kit/bounds';
import { uuidv7 } from '@recording-request/kit/ids';
import type { Part, RefusalReason, Upload, UploadState } from '../domain/upload.ts';
import type { Models } from './models.ts';
import { createUploadLeases, landingBy, type UploadLeases } from './upload-leases.ts';
import { uploadFromRow } from './upload-row.ts';

export interface UploadStore extends UploadLeases {
  insert(upload: Upload): Promise<void>;
  find(id: string): Promise<Upload | undefined>;
  ofResponse(linkId: string, responseId: string): Promise<Upload[]>;
  /** Records a stored part. Returns false when the offset is not where the part begins, or another request writes. */
  append(id: string, writerId: string, part: Part): Promise<boolean>;
  declareLength(id: string, writerId: string, length: number): Promise<boolean>;
  renewed(id: string): Promise<void>;
  /** `uploading` → `finishing` when every byte is there; mints the submission's id. Returns the upload after that. */
  finish(id: string): Promise<Upload | undefined>;
  /** `uploading` → `finishing` for one that was sent but never became complete. */
  salvage(id: string): Promise<boolean>;
  /** Returns false, and writes nothing, where the worker has lost its lease. */
  assembled(id: string, workerId: string, sha256: string): Promise<boolean>;
  land(id: string): Promise<void>;
  /** Returns false, and writes nothing, where the worker has lost its lease. */
  refuse(id: string, workerId: string, reason: RefusalReason, error: string): Promise<boolean>;
  /** Ended by its client: kept without its bytes until the sweeper has seen to its response. */
  markDeleted(id: string): Promise<boolean>;
  delete(id: string): Promise<void>;
  /** Records a failed landing, and delays the next try longer each time, so that it blocks no other. Returns how many failed. */
  failed(id: string): Promise<number>;
  /** Uploads whose landing is due, the longest waiting first. */
  due(limit: number): Promise<Upload[]>;
  /** Uploads in a state whose last byte came before `before`, oldest first. */
  idle(state: UploadState, before: Date, limit: number): Promise<Upload[]>;
  /** Uploads that have every byte of their declared length, and that no process began to finish. */
  complete(limit: number): Promise<Upload[]>;
}

// The request that brought the last byte has its time before the sweeper looks.
const FINISHING_GRACE_MS = 3_000;
const RETRY_BASE_MS = 2_500;
const RETRY_MAX_MS = 10 * 60_000;

const inMs = (ms: number): Date => new Date(Date.now() + ms);

export function createUploadStore({ uploads }: Models): UploadStore {
  const updated = async (filter: object, update: object): Promise<boolean> =>
    (await uploads.updateOne(filter, update)).matchedCount > 0;
  const found = async (query: object, sort: object, limit: number): Promise<Upload[]> =>
    (
      await uploads
        .find(query)
        .sort(sort as never)
        .limit(limit)
        .lean()
    ).map(uploadFromRow);
  return {
    ...createUploadLeases(uploads),
    async insert({ id, ...rest }) {
      await uploads.create({ _id: id, ...rest });
    },
    async find(id) {
      const row = await uploads.findById(id).lean();
      return row ? uploadFromRow(row) : undefined;
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
    async delete(id) {
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
