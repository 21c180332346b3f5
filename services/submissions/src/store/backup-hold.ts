import { BACKUP_LEASE } from '@recording-request/contract/backup-lease';
import { serverTime } from '@recording-request/kit-mongo/clock';
import type { Models } from './models.ts';

/**
 * Keeps bytes in the object store while a backup runs. A backup reads the records first and copies the bytes later, so
 * it still needs bytes that the records no longer name.
 */
export interface BackupHold {
  /**
   * Returns whether a backup is running. Call this after the write that drops the reference to the bytes, and before
   * you remove the bytes: a backup that read the records before that write already has its lease.
   */
  isHeld(): Promise<boolean>;
  /** Records that the bytes of an ended upload still exist. */
  keep(uploadId: string): Promise<void>;
  kept(limit: number): Promise<string[]>;
  /** Returns the uploads, among these, whose bytes were kept. */
  keptOf(uploadIds: string[]): Promise<string[]>;
  /** Records that the bytes were removed. */
  forget(uploadId: string): Promise<void>;
}

export function createBackupHold({ uploads }: Pick<Models, 'uploads'>): BackupHold {
  const { db } = uploads;
  const leases = () => db.collection<{ _id: string; until: Date }>('leases');
  // This collection needs no index except its ids, because it is nearly always empty: only a backup fills it.
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
