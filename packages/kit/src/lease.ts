import type { Connection } from 'mongoose';
import { uuidv7 } from './ids.ts';
import { isDuplicateKey } from './mongo.ts';

/** A named right that one process at a time has, kept in the collection `leases`. */
export interface Lease {
  /** Takes or prolongs the lease; false while another process has it. */
  hold(): Promise<boolean>;
  release(): Promise<void>;
}

/** A lease that runs out `leaseMs` after it was last held, so that a process that died is replaced. */
export function createLease(connection: Connection, name: string, leaseMs: number): Lease {
  const holder = uuidv7();
  const leases = () => connection.db!.collection<{ _id: string; holder: string; until: Date }>('leases');
  return {
    async hold() {
      const now = new Date();
      try {
        const { matchedCount, upsertedCount } = await leases().updateOne(
          { _id: name, $or: [{ holder }, { until: { $lte: now } }] },
          { $set: { holder, until: new Date(now.getTime() + leaseMs) } },
          { upsert: true },
        );
        return matchedCount + upsertedCount > 0;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async release() {
      await leases().deleteOne({ _id: name, holder });
    },
  };
}
