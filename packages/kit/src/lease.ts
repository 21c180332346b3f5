import type { Connection } from 'mongoose';
import { uuidv7 } from './ids.ts';
import { isDuplicateKey } from './mongo.ts';

/** A right that one process at a time has. It expires some time after it was last taken or renewed. */
export interface Leasable<T> {
  /** Takes the lease and returns its subject; undefined while another process has it. */
  take(): Promise<T | undefined>;
  renew(): Promise<unknown>;
  release(): Promise<void>;
  /** How often it is renewed while held, in milliseconds: several times before it expires. */
  renewMs: number;
}

export interface HeldLease<T> extends AsyncDisposable {
  subject: T;
}

/** Takes a lease and renews it until it is disposed of; undefined while another process has it. */
export async function takeLease<T>(lease: Leasable<T>): Promise<HeldLease<T> | undefined> {
  const subject = await lease.take();
  if (subject === undefined) return undefined;
  const renewal = setInterval(() => void lease.renew().catch(() => {}), lease.renewMs);
  return {
    subject,
    async [Symbol.asyncDispose]() {
      clearInterval(renewal);
      // A lease that cannot be released expires.
      await lease.release().catch(() => {});
    },
  };
}

/**
 * Runs `work` under the lease, which is renewed until the work ends and then released, also when it fails. Returns
 * undefined without running it while another process has the lease. A process that sleeps can lose the lease during the
 * work: before a step that must not be done twice, `work` asks again.
 */
export async function withLease<T, R>(lease: Leasable<T>, work: (subject: T) => Promise<R>): Promise<R | undefined> {
  await using held = await takeLease(lease);
  return held && (await work(held.subject));
}

/** A lease with a name, kept in the collection `leases`. */
export interface Lease extends Leasable<true> {
  /** Takes or renews the lease; false while another process has it. */
  hold(): Promise<boolean>;
}

/** Returns a lease that expires `leaseMs` after it was last renewed, so that a process that died is replaced. */
export function createLease(connection: Connection, name: string, leaseMs: number): Lease {
  const holder = uuidv7();
  const leases = () => connection.db!.collection<{ _id: string; holder: string; until: Date }>('leases');
  async function hold(): Promise<boolean> {
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
  }
  return {
    hold,
    take: async () => (await hold()) || undefined,
    renew: hold,
    renewMs: leaseMs / 3,
    async release() {
      await leases().deleteOne({ _id: name, holder });
    },
  };
}
