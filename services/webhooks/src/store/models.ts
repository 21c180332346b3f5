import { SENDING_RECORD } from '@recording-request/contract/sending-record';
import { type CollectionIndexes, indexesOf } from '@recording-request/kit-mongo/indexes';
import { type Connection, Schema } from 'mongoose';
import type { Attempt, DeliveryState } from '../domain/delivery.ts';
import type { PauseReason } from '../domain/endpoint.ts';
import type { Sending } from '../domain/sending.ts';
import { feedCollections, openFeedModels } from './feed-models.ts';

/** A stored delivery. `_id` is the event's id, so an event is recorded only once. */
export interface DeliveryDocument {
  _id: string;
  projectId: string;
  ownerId: string;
  submissionId: string;
  erasedSubmissionId?: string;
  origin?: string;
  eventType: string;
  sentAs?: string;
  createdAt: Date;
  /** The request body, sealed for this delivery. Absent after an erasure. */
  sealedBody?: string;
  state: DeliveryState;
  /** When the delivery is due; during an attempt, when the lease ends. Absent unless pending. */
  nextAt?: Date;
  /** The claim of the process that sends the delivery. */
  lease?: string;
  step: number;
  forced: boolean;
  attempts: Attempt[];
  attemptCount: number;
  deliveredAt?: Date;
  traceparent: string;
  tracestate: string;
}

export interface EndpointDocument {
  _id: string;
  targetVersion: number;
  state: 'active' | 'paused';
  failingSince?: Date;
  lastStatusCode?: number;
  lastError?: string;
  failureReported?: boolean;
  wellSince?: Date;
  servedAt?: Date;
  pausedAt?: Date;
  pauseReason?: PauseReason;
  /** The time of the next check of the address. Absent while the endpoint is healthy. */
  checkAt?: Date;
  /** True from a reset until the deliveries that wait for a retry have been made due. */
  resuming?: boolean;
}

export interface ErasureDocument {
  _id: string;
  at: Date;
  /** The counts of the data that this erasure and its repetitions removed. */
  payloads?: number;
  undelivered?: number;
  events?: number;
}

export interface SendingDocument extends Sending {
  _id: string;
}

const text = { type: String, required: true };

/** Retention uses this index. It orders each state by age, so that retention skips old pending deliveries. */
export const AGE_INDEX = { state: 1, createdAt: 1 } as const;

/** Finds the first due delivery of each endpoint with one index lookup. */
export const QUEUE_INDEX = { state: 1, projectId: 1, nextAt: 1 } as const;

/** The metrics of endpoints read only this index, no document. */
export const HEALTH_INDEX = { state: 1, failingSince: 1, _id: 1 } as const;

const deliverySchema = new Schema<DeliveryDocument>(
  {
    _id: text,
    projectId: text,
    ownerId: text,
    submissionId: String,
    erasedSubmissionId: String,
    origin: String,
    eventType: text,
    sentAs: String,
    createdAt: { type: Date, required: true },
    sealedBody: String,
    state: text,
    nextAt: Date,
    lease: String,
    step: { type: Number, required: true },
    forced: { type: Boolean, required: true },
    attempts: [{ _id: false, at: Date, statusCode: Number, error: String, durationMs: Number }],
    attemptCount: { type: Number, required: true },
    deliveredAt: Date,
    traceparent: String,
    tracestate: String,
  },
  { versionKey: false },
);
deliverySchema.index(QUEUE_INDEX);
deliverySchema.index({ projectId: 1, createdAt: -1, _id: -1 });
deliverySchema.index({ submissionId: 1 });
// The erasure of a link finds its deliveries by this index. Only events about links have an origin.
deliverySchema.index(
  { projectId: 1, origin: 1 },
  { name: 'origins', partialFilterExpression: { origin: { $exists: true } } },
);
deliverySchema.index(AGE_INDEX);

const endpointSchema = new Schema<EndpointDocument>(
  {
    _id: text,
    targetVersion: { type: Number, required: true },
    state: text,
    failingSince: Date,
    lastStatusCode: Number,
    lastError: String,
    failureReported: Boolean,
    wellSince: Date,
    servedAt: Date,
    pausedAt: Date,
    pauseReason: String,
    checkAt: Date,
    resuming: Boolean,
  },
  { versionKey: false },
);

endpointSchema.index({ checkAt: 1 }, { sparse: true });
endpointSchema.index(HEALTH_INDEX);

const erasureSchema = new Schema<ErasureDocument>(
  { _id: text, at: Date, payloads: Number, undelivered: Number, events: Number },
  { versionKey: false },
);

const sendingSchema = new Schema<SendingDocument>({ _id: text, isPaused: Boolean, since: Date }, { versionKey: false });

/** Returns every collection with its indexes, which a migration builds. Tombstones expire after `tombstoneSec` seconds. */
export const collectionsOf = (tombstoneSec: number): CollectionIndexes[] => [
  indexesOf('deliveries', deliverySchema),
  indexesOf('endpoints', endpointSchema),
  {
    collection: 'erasures',
    indexes: [{ keys: { at: 1 }, options: { name: 'forget', expireAfterSeconds: tombstoneSec } }],
  },
  indexesOf(SENDING_RECORD.collection, sendingSchema),
  ...feedCollections,
];

export const openModels = (connection: Connection) => ({
  deliveries: connection.model<DeliveryDocument>('Delivery', deliverySchema, 'deliveries'),
  endpoints: connection.model<EndpointDocument>('Endpoint', endpointSchema, 'endpoints'),
  erasures: connection.model<ErasureDocument>('Erasure', erasureSchema, 'erasures'),
  sending: connection.model<SendingDocument>('Sending', sendingSchema, SENDING_RECORD.collection),
  ...openFeedModels(connection),
});

export type Models = ReturnType<typeof openModels>;
