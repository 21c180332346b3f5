/**
 * pending: waits to be sent at `nextAt` · delivered · paused: kept until the endpoint resumes · failed: a test event
 * that the endpoint did not accept, or an event whose key is lost · erased: without payload, never sent.
 */
export type DeliveryState = 'pending' | 'delivered' | 'paused' | 'failed' | 'erased';

/** The stored type of every test event; `sentAs` is the type that the endpoint sees. */
export const TEST_EVENT = 'webhook.test';

/** One attempt in the ledger. */
export interface Attempt {
  at: Date;
  /** 0 without an HTTP response. */
  statusCode: number;
  /** "" on success; otherwise a fixed phrase that quotes no text of the endpoint. */
  error: string;
  durationMs: number;
}

/** W3C trace context; each field is "" when there is none. */
export interface TraceContext {
  traceparent: string;
  tracestate: string;
}

/** An event to record for one endpoint. The event's id becomes the delivery's id. */
export interface NewDelivery extends TraceContext {
  id: string;
  projectId: string;
  ownerId: string;
  /** The submission whose erasure removes the body; "" if no erasure of a submission removes it. */
  submissionId: string;
  /** The erased submission in a submission.erased event. This id stays after the erasure. */
  erasedSubmissionId?: string;
  /** The link of an event about a link: the erasure of the link removes the event's data. */
  origin?: string;
  eventType: string;
  /** The type that a test event imitates; absent for the default test event. */
  sentAs?: string;
  createdAt: Date;
  /** The request body, sealed for this delivery (`sealedFor.delivery`). */
  sealedBody: string;
}

/** Returns the type that the endpoint sees. */
export const sentType = ({ eventType, sentAs }: Pick<NewDelivery, 'eventType' | 'sentAs'>): string =>
  sentAs ?? eventType;

/** A delivery that only this process may send until the lease expires. */
export interface ClaimedDelivery extends NewDelivery {
  lease: string;
  /** Read from the database's clock. */
  leaseUntil: Date;
  /** The number of failures since the retry schedule of the delivery last started from its beginning. */
  step: number;
  /** True if the owner requested this delivery. Then the service sends it even to a paused endpoint. */
  forced: boolean;
  attemptCount: number;
}

/** A delivery as its owner sees it. */
export interface DeliveryRecord {
  id: string;
  projectId: string;
  ownerId: string;
  submissionId: string;
  eventType: string;
  isTest: boolean;
  state: DeliveryState;
  createdAt: Date;
  deliveredAt?: Date;
  nextAt?: Date;
  /** The last 50 attempts. */
  attempts: Attempt[];
  attemptCount: number;
  /** True while the payload exists. */
  sendable: boolean;
  /** The id of the key that sealed the payload; "" without a payload. */
  keyId: string;
  /** The trace context of the request that caused the event. */
  trace: TraceContext;
}

/** Returns the ids for a log entry, with the field names of the gateway's log. A test event has no submission. */
export const idsOf = ({ id, projectId, submissionId }: Pick<NewDelivery, 'id' | 'projectId' | 'submissionId'>) => ({
  eventId: id,
  projectId,
  submissionId: submissionId || undefined,
});
