import { createBatcher } from '@recording-request/kit/batcher';
import { uuidv7 } from '@recording-request/kit/ids';
import { hasPassed, serverTime } from '@recording-request/kit-mongo/clock';
import { isDuplicateKey } from '@recording-request/kit-mongo/mongo';
import { writeErrorsOf } from '@recording-request/kit-mongo/unordered';
import type { Attempt, ClaimedDelivery, DeliveryState, NewDelivery } from '../domain/delivery.ts';
import { type DeliveryDocument, type Models, QUEUE_INDEX } from './models.ts';

const COUNTED_MAX = 10_000;
/** A delivery keeps this many attempts; older attempts are only counted. */
const KEPT_ATTEMPTS = 50;

/** The state of a delivery after its claim is released. */
export type Released = { state: 'pending'; nextAt: Date } | { state: Exclude<DeliveryState, 'pending' | 'delivered'> };

/** Identifies a delivery: the project's id selects its shard. */
export type DeliveryKey = Pick<NewDelivery, 'id' | 'projectId'>;

export interface DeliveryQueue {
  /** Records a delivery that is due at once. Returns false when the event is already recorded. */
  insert(delivery: NewDelivery, now: Date): Promise<boolean>;
  /** Records a delivery as claimed by the caller; returns undefined when the event is already recorded. */
  insertClaimed(
    delivery: NewDelivery,
    claim: { leaseUntil: Date; forced: boolean },
  ): Promise<ClaimedDelivery | undefined>;
  /**
   * Claims the given delivery, or without an id the oldest due one of the endpoint, for `leaseMs`; undefined when none is due.
   */
  claim(which: { projectId: string; id?: string }, leaseMs: number): Promise<ClaimedDelivery | undefined>;
  /** Returns the first due time of each endpoint with pending deliveries. */
  firstDue(): Promise<Array<{ ownerId: string; projectId: string; nextAt: Date }>>;
  /** Counts the deliveries that wait for an attempt, up to COUNTED_MAX. */
  countPending(): Promise<number>;
  /** Records a success, even if the lease was lost, but not if the payload was erased during the attempt. */
  succeeded(delivery: DeliveryKey, attempt: Attempt): Promise<void>;
  /**
   * Records a failure. Returns false when the lease was lost; the attempt is still recorded. A redelivery by hand is a
   * single attempt; after its failure, the delivery is treated like any other.
   */
  failed(delivery: ClaimedDelivery, attempt: Attempt, released: Released): Promise<boolean>;
  /** Releases a claim without an attempt. */
  putBack(delivery: ClaimedDelivery, released: Released): Promise<void>;
  pauseAll(projectId: string): Promise<void>;
  /**
   * Makes an endpoint's paused deliveries due; with `waiting`, also its deliveries that wait for a retry. Returns the
   * number of deliveries.
   */
  resume(projectId: string, which: { waiting: boolean }, now: Date): Promise<number>;
}

interface Ended {
  delivery: DeliveryKey;
  attempt: Attempt;
}

/**
 * Creates the methods of the ledger for sending. Leases prevent several processes from sending one delivery at the same
 * time.
 */
export function deliveryQueue({ deliveries }: Models): DeliveryQueue {
  const insertOnce = async (document: DeliveryDocument): Promise<boolean> => {
    try {
      await deliveries.insertOne(document);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };
  // Records the successes of one endpoint in batches; other endpoints do not wait for that write.
  const recordSuccess = createBatcher({
    keyOf: ({ delivery }: Ended) => delivery.projectId,
    async work(ended: Ended[]) {
      const writes = ended.map(({ delivery, attempt }) => ({
        updateOne: {
          filter: { ...deliveryAt(delivery), state: { $ne: 'erased' as const } },
          update: {
            $set: { state: 'delivered' as const, deliveredAt: attempt.at, step: 0, forced: false },
            $unset: { nextAt: 1 as const, lease: 1 as const },
            ...recordOf(attempt),
          },
        },
      }));
      const options = { ordered: false, throwOnValidationError: true };
      return await writeErrorsOf(writes.length, () => deliveries.bulkWrite(writes, options));
    },
  });
  return {
    insert: (delivery, now) => insertOnce({ ...fresh(delivery), nextAt: now }),
    async insertClaimed(delivery, { leaseUntil, forced }) {
      const lease = uuidv7();
      const isNew = await insertOnce({ ...fresh(delivery), forced, lease, nextAt: leaseUntil });
      return isNew ? { ...delivery, lease, leaseUntil, step: 0, forced, attemptCount: 0 } : undefined;
    },
    async claim({ id, projectId }, leaseMs) {
      const one = id === undefined ? { projectId } : { _id: id, projectId };
      const lease = uuidv7();
      const document = await deliveries
        .findOneAndUpdate(
          { ...one, state: 'pending', ...hasPassed('nextAt') },
          [{ $set: { nextAt: serverTime(leaseMs), lease } }],
          { returnDocument: 'after', updatePipeline: true, ...(id === undefined && { sort: { nextAt: 1 } }) },
        )
        .lean();
      return document?.sealedBody ? claimed({ ...document, lease }, document.sealedBody) : undefined;
    },
    firstDue: () =>
      deliveries.aggregate([
        { $match: { state: 'pending' } },
        { $sort: QUEUE_INDEX },
        { $group: { _id: '$projectId', nextAt: { $first: '$nextAt' }, ownerId: { $first: '$ownerId' } } },
        { $project: { _id: 0, projectId: '$_id', nextAt: 1, ownerId: 1 } },
      ]),
    countPending: () =>
      deliveries.collection.countDocuments({ state: 'pending' }, { hint: QUEUE_INDEX, limit: COUNTED_MAX }),
    async succeeded(delivery, attempt) {
      const error = await recordSuccess({ delivery, attempt });
      if (error) throw new Error('a success could not be recorded', { cause: error });
    },
    async failed(delivery, attempt, released) {
      const { lease } = delivery;
      const { matchedCount } = await deliveries.updateOne(
        { ...deliveryAt(delivery), lease },
        { ...release(released, { forced: false }), ...recordOf(attempt), $inc: { attemptCount: 1, step: 1 } },
      );
      if (matchedCount === 0) await deliveries.updateOne(deliveryAt(delivery), recordOf(attempt));
      return matchedCount > 0;
    },
    async putBack(delivery, released) {
      const { lease } = delivery;
      await deliveries.updateOne({ ...deliveryAt(delivery), lease }, release(released));
    },
    async pauseAll(projectId) {
      await deliveries.updateMany(
        { state: 'pending', projectId, lease: { $exists: false }, forced: false },
        { $set: { state: 'paused' }, $unset: { nextAt: 1 } },
      );
    },
    async resume(projectId, { waiting }, now) {
      const states: DeliveryState[] = waiting ? ['paused', 'pending'] : ['paused'];
      // Skips deliveries that an interrupted earlier call has already made due, so that a repeated call continues that
      // call.
      const left = [{ state: 'paused' as const }, { nextAt: { $gt: now } }, { step: { $gt: 0 } }];
      const { modifiedCount } = await deliveries.updateMany(
        { state: { $in: states }, projectId, lease: { $exists: false }, $or: left },
        { $set: { state: 'pending', nextAt: now, step: 0 } },
      );
      return modifiedCount;
    },
  };
}

const deliveryAt = ({ id, projectId }: DeliveryKey) => ({ _id: id, projectId });

const fresh = ({ id, ...delivery }: NewDelivery) => ({
  _id: id,
  ...delivery,
  state: 'pending' as const,
  step: 0,
  forced: false,
  attempts: [],
  attemptCount: 0,
});

const recordOf = (attempt: Attempt) => ({
  $push: { attempts: { $each: [attempt], $slice: -KEPT_ATTEMPTS } },
  $inc: { attemptCount: 1 },
});

function release(released: Released, also: { forced?: false } = {}) {
  const { state } = released;
  if (state === 'pending') return { $set: { state, nextAt: released.nextAt, ...also }, $unset: { lease: 1 } };
  const payload = state === 'erased' ? { sealedBody: 1 } : {};
  return { $set: { state, forced: false }, $unset: { lease: 1, nextAt: 1, ...payload } };
}

function claimed(document: DeliveryDocument & { lease: string }, sealedBody: string): ClaimedDelivery {
  const {
    _id: id,
    projectId,
    ownerId,
    submissionId,
    eventType,
    createdAt,
    lease,
    step,
    forced,
    attemptCount,
  } = document;
  const { nextAt, sentAs, origin, traceparent, tracestate } = document;
  return {
    id,
    projectId,
    ownerId,
    submissionId,
    ...(origin === undefined ? {} : { origin }),
    eventType,
    ...(sentAs === undefined ? {} : { sentAs }),
    createdAt,
    sealedBody,
    lease,
    leaseUntil: nextAt!,
    step,
    forced,
    attemptCount,
    traceparent,
    tracestate,
  };
}
