import type { Upload } from '../domain/upload.ts';
import type { Models } from './models.ts';
import { uploadFromRow } from './upload-row.ts';

/** Two leases in each upload's own document, so that a write can ask for one in its filter. */
export interface UploadLeases {
  /** The right to write: taken, renewed, released. */
  takeWriter(id: string, writerId: string, leaseMs: number): Promise<'taken' | 'busy' | 'missing'>;
  renewWriter(id: string, writerId: string, leaseMs: number): Promise<'held' | 'wanted' | 'lost'>;
  releaseWriter(id: string, writerId: string): Promise<void>;
  /** The right to make it land. */
  takeWorker(id: string, workerId: string, leaseMs: number): Promise<Upload | undefined>;
  /** Returns false when another worker has taken it, or the landing has ended. */
  renewWorker(id: string, workerId: string, leaseMs: number): Promise<boolean>;
  releaseWorker(id: string, workerId: string): Promise<void>;
}

const inMs = (ms: number): Date => new Date(Date.now() + ms);

/** The filter of what only the worker that lands an upload may write. */
export const landingBy = (id: string, workerId: string) => ({ _id: id, state: 'finishing', 'worker.id': workerId });

export function createUploadLeases(uploads: Models['uploads']): UploadLeases {
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
      // The holder may have released it in between: then the next try takes it.
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
      return row ? uploadFromRow(row) : undefined;
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
