import { uuidv7 } from '@recording-request/kit/ids';
import { untraced } from '@recording-request/kit-telemetry/span';
import type { Connection } from 'mongoose';
import { serverTime } from './clock.ts';
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
  const renewal = setInterval(() => void untraced(() => lease.renew()).catch(() => {}), lease.renewMs);
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

interface LeaseRow {
  _id: string;
  holder: string;
  until: Date;
  /** Another one each time that its holder takes or renews it. */
  renewal: string;
}

// A process that is waiting sees a lease in use renewed three times in the time that it lasts.
const UNUSED_FOR = 2;

/**
 * Returns a lease that expires `leaseMs` after it was last renewed, so that a process that died is replaced. The database
 * server sets and compares its end: the clocks of the processes do not matter. Nor does that of the database where it was
 * wrong once: who waits for a lease and sees nobody renew it, for twice as long as it lasts, takes it whatever its end says.
 */
export function createLease(connection: Connection, name: string, leaseMs: number): Lease {
  const holder = uuidv7();
  const leases = () => connection.db!.collection<LeaseRow>('leases');
  let renewals = 0;
  /** Another process's lease as it has been since `at`, by this process's monotonic clock. */
  let waitedFor: { renewal: string; at: number } | undefined;

  async function hold(): Promise<boolean> {
    const free = { $lte: [{ $ifNull: ['$until', new Date(0)] }, serverTime()] };
    const isUnused = waitedFor !== undefined && performance.now() - waitedFor.at > UNUSED_FOR * leaseMs;
    const unused = { $eq: ['$renewal', waitedFor?.renewal] };
    const ours = { $or: [{ $eq: ['$holder', holder] }, free, isUnused ? unused : false] };
    // The end of a lease that is held only moves on, whatever a new primary's clock shows.
    const renewed = { $max: ['$until', serverTime(leaseMs)] };
    const until = { $cond: [{ $eq: ['$holder', holder] }, renewed, serverTime(leaseMs)] };
    renewals += 1;
    const set = Object.entries({ holder, until, renewal: `${holder} ${renewals}` }).map(([field, value]) => [
      field,
      { $cond: [ours, value, `$${field}`] },
    ]);
    try {
      const lease = await leases().findOneAndUpdate({ _id: name }, [{ $set: Object.fromEntries(set) }], {
        upsert: true,
        returnDocument: 'after',
      });
      if (lease?.holder === holder) {
        waitedFor = undefined;
        return true;
      }
      const { renewal } = lease!;
      if (renewal !== waitedFor?.renewal) waitedFor = { renewal, at: performance.now() };
      return false;
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
