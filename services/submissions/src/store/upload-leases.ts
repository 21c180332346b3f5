import { serverTime } from '@recording-request/kit-mongo/clock';
import type { Checksums, Upload, UploadKey } from '../domain/uploads/upload.ts';
import type { Models } from './models.ts';
import { uploadAt, uploadFromRow, WITHOUT_PARTS } from './upload-row.ts';

/**
 * Two leases in each upload's document, so that the filter of a write can check a lease. Their ends are times of the
 * database's clock. A renewal never makes the end of a held lease earlier, so a delayed renewal does no harm.
 */
export interface UploadLeases {
  /** Takes the lease to write. Returns undefined when the upload does not exist. */
  takeWriter(key: UploadKey, writerId: string, leaseMs: number): Promise<Upload | 'busy' | undefined>;
  renewWriter(key: UploadKey, writerId: string, leaseMs: number): Promise<'held' | 'wanted' | 'lost'>;
  /** Returns the same as `renewWriter`, without a write. */
  lookWriter(key: UploadKey, writerId: string): Promise<'held' | 'wanted' | 'lost'>;
  releaseWriter(key: UploadKey, writerId: string): Promise<void>;
  /** Takes the lease to land the upload. */
  takeWorker(key: UploadKey, workerId: string, leaseMs: number): Promise<Upload | undefined>;
  /**
   * Renews the lease; also stores the checksums of the whole upload, if given. Returns false, and writes nothing, when
   * another process has the lease or the landing has ended.
   */
  renewWorker(key: UploadKey, workerId: string, leaseMs: number, checksums?: Checksums): Promise<boolean>;
  releaseWorker(key: UploadKey, workerId: string): Promise<void>;
}

// Pipelines may contain our ids unescaped: an id is a UUID and contains no $, so MongoDB never reads it as a field
// name.
const PIPELINE = { updatePipeline: true } as const;

/** Returns the filter for writes that are allowed only to the holder of the landing's lease. */
export const landingBy = (key: UploadKey, workerId: string) => ({
  ...uploadAt(key),
  state: 'finishing',
  'worker.id': workerId,
});

export function createUploadLeases(uploads: Models['uploads']): UploadLeases {
  // In a comparison, a missing date is earlier than any date.
  const free = (field: string, id: string) => ({
    $expr: { $or: [{ $eq: [`$${field}.id`, id] }, { $not: { $gt: [`$${field}.until`, '$$NOW'] } }] },
  });
  const stateOf = (row: { writer?: { wanted?: boolean | null } | null } | null) => {
    if (!row) return 'lost';
    return row.writer?.wanted ? 'wanted' : 'held';
  };
  const prolonged = (field: string, leaseMs: number) => ({ $max: [`$${field}.until`, serverTime(leaseMs)] });
  return {
    async takeWriter(key, writerId, leaseMs) {
      const taken = await uploads
        .findOneAndUpdate(
          { ...uploadAt(key), ...free('writer', writerId) },
          [{ $set: { writer: { id: writerId, until: prolonged('writer', leaseMs), wanted: false } } }],
          { returnDocument: 'after', projection: WITHOUT_PARTS, ...PIPELINE },
        )
        .lean();
      if (taken) return uploadFromRow(taken);
      await uploads.updateOne({ ...uploadAt(key), writer: { $ne: null } }, { $set: { 'writer.wanted': true } });
      // The holder may have released the lease since the update; then the next try takes it.
      return (await uploads.exists(uploadAt(key))) ? 'busy' : undefined;
    },
    async renewWriter(key, writerId, leaseMs) {
      const row = await uploads
        .findOneAndUpdate(
          { ...uploadAt(key), 'writer.id': writerId },
          [{ $set: { 'writer.until': prolonged('writer', leaseMs) } }],
          { projection: { writer: 1 }, ...PIPELINE },
        )
        .lean();
      return stateOf(row);
    },
    async lookWriter(key, writerId) {
      return stateOf(await uploads.findOne({ ...uploadAt(key), 'writer.id': writerId }, { writer: 1 }).lean());
    },
    async releaseWriter(key, writerId) {
      await uploads.updateOne({ ...uploadAt(key), 'writer.id': writerId }, { $unset: { writer: 1 } });
    },
    async takeWorker(key, workerId, leaseMs) {
      const row = await uploads
        .findOneAndUpdate(
          { ...uploadAt(key), state: 'finishing', ...free('worker', workerId) },
          [{ $set: { worker: { id: workerId, until: prolonged('worker', leaseMs) } } }],
          { returnDocument: 'after', projection: WITHOUT_PARTS, ...PIPELINE },
        )
        .lean();
      return row ? uploadFromRow(row) : undefined;
    },
    async renewWorker(key, workerId, leaseMs, checksums) {
      const renewal = [{ $set: { ...checksums, 'worker.until': prolonged('worker', leaseMs) } }];
      const held = await uploads.updateOne(landingBy(key, workerId), renewal, PIPELINE);
      return held.matchedCount > 0;
    },
    async releaseWorker(key, workerId) {
      await uploads.updateOne({ ...uploadAt(key), 'worker.id': workerId }, { $unset: { worker: 1 } });
    },
  };
}
