import { uuidv7 } from '@recording-request/kit/ids';
import { untraced } from '@recording-request/kit-telemetry/span';
import type { Connection } from 'mongoose';
import { serverTime } from './clock.ts';
import { isDuplicateKey } from './mongo.ts';

/** A right that one process at a time holds. The right expires some time after the last renewal. */
export interface Leasable<T> {
  /** Takes the lease and returns the subject of the lease; undefined while another process holds it. */
  take(): Promise<T | undefined>;
  renew(): Promise<unknown>;
  release(): Promise<void>;
  /** The interval of renewals, in milliseconds. It is a fraction of the time after which the lease expires. */
  renewMs: number;
}

export interface HeldLease<T> extends AsyncDisposable {
  subject: T;
}

/** Takes a lease and renews it until disposed; undefined while another process holds it. */
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
 * Takes the lease, runs `work`, and renews the lease until the work ends or fails; then releases the lease. Returns
 * undefined without running `work` while another process holds the lease. A process that is paused can lose the lease
 * during the work: `work` must check the lease before a step that must not happen twice.
 */
export async function withLease<T, R>(lease: Leasable<T>, work: (subject: T) => Promise<R>): Promise<R | undefined> {
  await using held = await takeLease(lease);
  return held && (await work(held.subject));
}

/** A named lease in the collection `leases`. */
export interface Lease extends Leasable<true> {
  /** Takes or renews the lease; false while another process holds it. */
  hold(): Promise<boolean>;
}

interface LeaseRow {
  _id: string;
  holder: string;
  until: Date;
  /** A new value at each take or renewal. */
  renewal: string;
}

// A held lease is renewed three times within its duration. So a lease without a renewal for twice its duration is not
// held.
const UNUSED_FOR = 2;

/**
 * Returns a lease that expires `leaseMs` after its last renewal, so that another process can replace a dead holder. The
 * database server sets and compares the end of the lease, so the clocks of processes do not matter. If the database's
 * clock was wrong, the stored end is wrong too. So a process that sees no renewal for twice the duration takes the
 * lease even before the stored end.
 */
export function createLease(connection: Connection, name: string, leaseMs: number): Lease {
  const holder = uuidv7();
  const leases = () => connection.db!.collection<LeaseRow>('leases');
  let renewals = 0;
  /**
   * The lease of another process, and the time when this process first saw its current renewal, by the monotonic clock.
   */
  let waitedFor: { renewal: string; at: number } | undefined;

  async function hold(): Promise<boolean> {
    const free = { $lte: [{ $ifNull: ['$until', new Date(0)] }, serverTime()] };
    const isUnused = waitedFor !== undefined && performance.now() - waitedFor.at > UNUSED_FOR * leaseMs;
    const unused = { $eq: ['$renewal', waitedFor?.renewal] };
    const ours = { $or: [{ $eq: ['$holder', holder] }, free, isUnused ? unused : false] };
    // The end of a held lease never moves back, even if the clock of a new primary is behind.
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
