/**
 * pending: to be sent at `nextAt` · delivered · paused: kept until the endpoint is back · failed: a test event that was
 * not taken · erased: the payload is gone, it is never sent.
 */
export type DeliveryState = 'pending' | 'delivered' | 'paused' | 'failed' | 'erased';

/** The stored type of every test event, whatever it is sent as. */
export const TEST_EVENT = 'webhook.test';

/** One try to send a delivery, as the ledger keeps it. */
export interface Attempt {
  at: Date;
  /** 0 when there was no answer. */
  statusCode: number;
  /** "" on success; otherwise a phrase of our own that quotes nothing of the endpoint's. */
  error: string;
  durationMs: number;
}

/** W3C trace context; "" where there was none. */
export interface TraceContext {
  traceparent: string;
  tracestate: string;
}

/** An event to record for one endpoint. Its id becomes the delivery's. */
export interface NewDelivery extends TraceContext {
  id: string;
  projectId: string;
  ownerId: string;
  /** The submission with which its body is erased; "" for none. */
  submissionId: string;
  /** What it is about where that is erased already: it outlives the erasure. */
  erasedSubmissionId?: string;
  eventType: string;
  /** The type of the event that a test event shows; absent for its own. */
  sentAs?: string;
  createdAt: Date;
  body: Buffer;
}

/** The type of the event as it is sent. */
export const sentType = ({ eventType, sentAs }: Pick<NewDelivery, 'eventType' | 'sentAs'>): string =>
  sentAs ?? eventType;

/** A delivery that only this process may send, until its lease runs out. */
export interface ClaimedDelivery extends NewDelivery {
  lease: string;
  /** By the database's clock. */
  leaseUntil: Date;
  /** Failures since it was last set to be sent. */
  step: number;
  /** Sent to a paused endpoint too, because its owner asked for it. */
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
  /** The last 50. */
  attempts: Attempt[];
  attemptCount: number;
  /** Whether the payload is still there. */
  sendable: boolean;
  /** Of what caused its event. */
  trace: TraceContext;
}
