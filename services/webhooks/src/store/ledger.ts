import { createBatcher } from '@recording-request/kit/batcher';
import { keyIdOf } from '@recording-request/kit/secret-box';
import type { DeliveryCursor } from '../domain/cursor.ts';
import { type DeliveryRecord, type DeliveryState, type NewDelivery, sentType, TEST_EVENT } from '../domain/delivery.ts';
import type { Endpoint } from '../domain/endpoint.ts';
import { presentEndpoint } from './endpoints.ts';
import { type Erasable, erasableQuery, isProject } from './erasable.ts';
import {
  AGE_INDEX,
  type DeliveryDocument,
  type EndpointDocument,
  type ErasureDocument,
  type Models,
  QUEUE_INDEX,
} from './models.ts';

/** The deliveries of a project that were created in a time range; `to` is exclusive. */
export interface DeliveryRange {
  from?: Date;
  to?: Date;
  undeliveredOnly: boolean;
}

/** The number of bodies, and how many of them were not yet sent. */
export interface ErasedPayloads {
  payloads: number;
  undelivered: number;
}

type Looked = Pick<NewDelivery, 'projectId' | 'submissionId' | 'origin'>;

export interface Ledger {
  /** Returns the deliveries after `after`, newest first. */
  list(projectId: string, limit: number, after?: DeliveryCursor): Promise<DeliveryRecord[]>;
  get(projectId: string, id: string): Promise<DeliveryRecord | undefined>;
  /** Returns the sealed body of a delivery; undefined when it was erased. */
  sealedBody(projectId: string, id: string): Promise<string | undefined>;
  /**
   * Makes a delivery due, even at a paused endpoint. Returns false when the delivery has no payload or an attempt is
   * running.
   */
  sendAgain(projectId: string, id: string, now: Date): Promise<boolean>;
  /** Counts the unsent deliveries of a project, up to COUNTED_MAX. */
  countUnsent(projectId: string): Promise<number>;
  /** Returns whether a range has more than `count` deliveries, in any state. */
  hasMore(projectId: string, range: DeliveryRange, count: number): Promise<boolean>;
  /** Makes the deliveries of a range due. Returns their number. */
  sendRangeAgain(projectId: string, range: DeliveryRange, now: Date): Promise<number>;
  /**
   * Removes the payloads of a submission, a link or a project (for a project also of test events), and leaves a
   * tombstone.
   */
  erase(which: Erasable, at: Date): Promise<ErasedPayloads>;
  /** Adds to the counts of an erasure. */
  addErased(which: Erasable, erased: ErasedPayloads & { events: number }): Promise<void>;
  /** Returns what all erasures of the same data have removed. */
  totalOf(which: Erasable): Promise<ErasedPayloads & { events: number }>;
  /** Removes the payload of one delivery. */
  eraseDelivery(delivery: { id: string; projectId: string }): Promise<void>;
  /** Counts the payloads that an erasure would remove. */
  tally(which: Erasable): Promise<ErasedPayloads>;
  /** Returns whether the submission, the link or the project of a delivery was erased. */
  isErased(delivery: Looked): Promise<boolean>;
  /** Does the same as `isErased`, and also returns the project's endpoint. */
  look(delivery: Looked): Promise<{ isErased: boolean; endpoint: Endpoint | undefined }>;
  /** Deletes at most `limit` settled deliveries that were created before `before`. Returns their number. */
  deleteSettled(before: Date, limit: number): Promise<number>;
}

// Excludes deliveries with a running attempt: the attempt ends by itself, and the service must not send a delivery
// twice.
const notBeingSent = (now: Date) => ({
  $nor: [{ state: 'pending' as const, lease: { $exists: true }, nextAt: { $gt: now } }],
});

const createdIn = ({ from, to }: DeliveryRange) => ({ $gte: from ?? new Date(0), ...(to ? { $lt: to } : {}) });
const LOOKED_FOR_AT_ONCE = 100;
const COUNTED_MAX = 10_000;
const UNSENT: DeliveryState[] = ['pending', 'paused'];
const SETTLED: DeliveryState[] = ['delivered', 'failed', 'erased'];

/** Creates the methods of the ledger for owners. Every query contains the project's id. */
export function ledger({ deliveries, endpoints, erasures }: Models): Ledger {
  // Each delivery checks for an erasure. Concurrent checks at one endpoint share a query that starts after all of them;
  // the query reads the endpoint too.
  const look = createBatcher({
    keyOf: ({ projectId }) => projectId,
    maxBatch: LOOKED_FOR_AT_ONCE,
    async work(batch: Looked[]) {
      const ids = [...new Set(batch.flatMap(tombstoneIds))];
      const ofEndpoint = [{ $match: { _id: batch[0]!.projectId } }];
      const found = await erasures.aggregate<{ _id: string } | EndpointDocument>([
        { $match: { _id: { $in: ids } } },
        { $unionWith: { coll: endpoints.collection.name, pipeline: ofEndpoint } },
      ]);
      const document = found.find(row => 'targetVersion' in row);
      const endpoint = document && presentEndpoint(document);
      const erased = new Set(found.filter(row => row !== document).map(({ _id }) => _id));
      return batch.map(delivery => ({ isErased: tombstoneIds(delivery).some(id => erased.has(id)), endpoint }));
    },
  });

  const tally = async (which: Erasable): Promise<ErasedPayloads> => {
    const held = { ...erasableQuery(which), sealedBody: { $exists: true } };
    const [payloads, undelivered] = await Promise.all([
      deliveries.countDocuments(held),
      deliveries.countDocuments({ ...held, state: { $in: UNSENT } }),
    ]);
    return { payloads, undelivered };
  };

  const removeBodies = (query: object, also: string[] = []) =>
    deliveries.updateMany(
      query,
      [
        { $set: { state: { $cond: [{ $in: ['$state', UNSENT] }, 'erased', '$state'] } } },
        { $unset: ['sealedBody', 'nextAt', 'lease', ...also] },
      ],
      { updatePipeline: true },
    );

  return {
    async list(projectId, limit, after) {
      const older = after && {
        $or: [{ createdAt: { $lt: after.createdAt } }, { createdAt: after.createdAt, _id: { $lt: after.id } }],
      };
      // Does not read the bodies.
      const documents = await deliveries
        .find({ projectId, ...older }, SHOWN)
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .lean<ShownDocument[]>();
      return documents.map(record);
    },
    async get(projectId, id) {
      const document = await deliveries.findOne({ _id: id, projectId }, SHOWN).lean<ShownDocument>();
      return document ? record(document) : undefined;
    },
    async sealedBody(projectId, id) {
      return (await deliveries.findOne({ _id: id, projectId }, { sealedBody: 1 }).lean())?.sealedBody;
    },
    async sendAgain(projectId, id, now) {
      const { matchedCount } = await deliveries.updateOne(
        { _id: id, projectId, sealedBody: { $exists: true }, ...notBeingSent(now) },
        { $set: { state: 'pending', nextAt: now, step: 0, forced: true }, $unset: { lease: 1 } },
      );
      return matchedCount > 0;
    },
    countUnsent: projectId =>
      deliveries.collection.countDocuments(
        { state: { $in: UNSENT }, projectId },
        { hint: QUEUE_INDEX, limit: COUNTED_MAX },
      ),
    async hasMore(projectId, range, count) {
      const createdAt = createdIn(range);
      return (await deliveries.countDocuments({ projectId, createdAt }).limit(count + 1)) > count;
    },
    async sendRangeAgain(projectId, range, now) {
      const { modifiedCount } = await deliveries.updateMany(
        {
          projectId,
          createdAt: createdIn(range),
          eventType: { $ne: TEST_EVENT },
          sealedBody: { $exists: true },
          ...(range.undeliveredOnly ? { state: { $ne: 'delivered' } } : {}),
          ...notBeingSent(now),
        },
        { $set: { state: 'pending', nextAt: now, step: 0 }, $unset: { lease: 1 } },
      );
      return modifiedCount;
    },
    async erase(which, at) {
      // Writes the tombstone first, so that a process finds it if it records or claims one of these deliveries later.
      await erasures.updateOne({ _id: tombstoneIdOf(which) }, { $setOnInsert: { at } }, { upsert: true });
      const removed = await tally(which);
      // Also removes the ids of links, because the links of an erased project no longer exist.
      await removeBodies(erasableQuery(which), isProject(which) ? ['origin'] : []);
      return removed;
    },
    async addErased(which, erased) {
      if (erased.payloads + erased.events > 0)
        await erasures.updateOne({ _id: tombstoneIdOf(which) }, { $inc: erased });
    },
    async totalOf(which) {
      const {
        payloads = 0,
        undelivered = 0,
        events = 0,
      } = (await erasures.findById(tombstoneIdOf(which)).lean<ErasureDocument>()) ?? {};
      return { payloads, undelivered, events };
    },
    async eraseDelivery({ id, projectId }) {
      await removeBodies({ _id: id, projectId });
    },
    tally,
    look,
    isErased: async delivery => (await look(delivery)).isErased,
    async deleteSettled(before, limit) {
      const settled = await deliveries
        .find({ createdAt: { $lt: before }, state: { $in: SETTLED } }, { projectId: 1 })
        .hint(AGE_INDEX)
        .sort({ createdAt: 1 })
        .limit(limit)
        .lean();
      const projectIds = [...new Set(settled.map(({ projectId }) => projectId))];
      const those = { _id: { $in: settled.map(({ _id }) => _id) }, projectId: { $in: projectIds } };
      return (await deliveries.deleteMany({ ...those, state: { $nin: UNSENT } })).deletedCount;
    },
  };
}

const tombstoneIdOf = ({ projectId, submissionId, origin }: Erasable) => submissionId ?? origin ?? projectId;

const tombstoneIds = ({ projectId, submissionId, origin }: Looked) => [
  projectId,
  submissionId,
  ...(origin === undefined ? [] : [origin]),
];

type ShownDocument = Omit<DeliveryDocument, 'sealedBody'> & { sealedWith: string };

// A key's id has at most 64 characters, and a dot follows it.
const KEY_ID_BYTES = 65;

const SHOWN = {
  projectId: 1,
  ownerId: 1,
  submissionId: 1,
  erasedSubmissionId: 1,
  eventType: 1,
  sentAs: 1,
  state: 1,
  createdAt: 1,
  deliveredAt: 1,
  nextAt: 1,
  attempts: 1,
  attemptCount: 1,
  traceparent: 1,
  tracestate: 1,
  // The start of the sealed body: it contains the id of the key. "" without a body.
  sealedWith: { $substrBytes: ['$sealedBody', 0, KEY_ID_BYTES] },
} as const;

function record({ _id: id, ...document }: ShownDocument): DeliveryRecord {
  const {
    projectId,
    ownerId,
    submissionId,
    erasedSubmissionId,
    eventType,
    state,
    createdAt,
    deliveredAt,
    nextAt,
    attempts,
    attemptCount,
    sealedWith,
    traceparent,
    tracestate,
  } = document;
  return {
    id,
    projectId,
    ownerId,
    submissionId: erasedSubmissionId ?? submissionId,
    eventType: sentType(document),
    isTest: eventType === TEST_EVENT,
    state,
    createdAt,
    ...(deliveredAt ? { deliveredAt } : {}),
    ...(nextAt ? { nextAt } : {}),
    attempts,
    attemptCount,
    sendable: sealedWith !== '',
    keyId: keyIdOf(sealedWith),
    trace: { traceparent, tracestate },
  };
}
