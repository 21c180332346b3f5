import { BACKUP_LEASE } from '@recording-request/contract/backup-lease';
import { serverTime } from '@recording-request/kit-mongo/clock';
import type { Models } from './models.ts';

/**
 * While a backup is made, bytes that the records of its moment name stay in the object store, although the records of now
 * no longer do: a backup copies them after it has read the records.
 */
export interface BackupHold {
  /**
   * Whether a backup is being made. Asked after the write that ends a record's naming of the bytes, and before they are
   * removed: a backup whose moment is before that write has taken its lease by then.
   */
  isHeld(): Promise<boolean>;
  /** Notes that the bytes of an upload that has ended are still there. */
  keep(uploadId: string): Promise<void>;
  kept(limit: number): Promise<string[]>;
  /** Which of these uploads have bytes that were kept. */
  keptOf(uploadIds: string[]): Promise<string[]>;
  /** The bytes are gone. */
  forget(uploadId: string): Promise<void>;
}

export function createBackupHold({ uploads }: Pick<Models, 'uploads'>): BackupHold {
  const { db } = uploads;
  const leases = () => db.collection<{ _id: string; until: Date }>('leases');
  // It has no index but that of its ids, and is empty but for a while after a backup.
  const keptUploads = () => db.collection<{ _id: string; at: Date }>('keptUploads');
  return {
    async isHeld() {
      const found = await leases().findOne({ _id: BACKUP_LEASE, $expr: { $gt: ['$until', serverTime()] } });
      return found !== null;
    },
    async keep(uploadId) {
      await keptUploads().updateOne({ _id: uploadId }, { $currentDate: { at: true } }, { upsert: true });
    },
    kept: async limit => (await keptUploads().find({}).sort({ _id: 1 }).limit(limit).toArray()).map(({ _id }) => _id),
    async keptOf(uploadIds) {
      const found = await keptUploads()
        .find({ _id: { $in: uploadIds } })
        .toArray();
      return found.map(({ _id }) => _id);
    },
    async forget(uploadId) {
      await keptUploads().deleteOne({ _id: uploadId });
    },
  };
}
