import { indexesOf } from '@recording-request/kit-mongo/indexes';
import { type Connection, Schema } from 'mongoose';

/**
 * A stored event of a feed. `_id` is the owner with the number of the previous event, so that each event has at most one
 * successor: see decision 82.
 */
export interface FeedDocument {
  _id: string;
  ownerId: string;
  seq: number;
  eventId: string;
  type: string;
  createdAt: Date;
  projectId: string;
  submissionId: string;
  erasedSubmissionId?: string;
  origin?: string;
  tokenId: string;
  /** Sealed. Absent after an erasure. */
  data?: string;
  dataBytes: number;
}

/** The start of a feed whose first events were deleted because of their age. `_id` is the owner's id. */
export interface FeedStartDocument {
  _id: string;
  /** The events up to this number were deleted. */
  gone: number;
}

const text = { type: String, required: true };

/** Reads pages. The query that finds the end of a filtered page reads only this index. */
export const PAGE_INDEX = { ownerId: 1, seq: 1, type: 1, projectId: 1 } as const;
/** Retention uses this index: a number is a time, so the smallest numbers are the oldest events. */
export const FEED_AGE_INDEX = { seq: 1 } as const;

const feedSchema = new Schema<FeedDocument>(
  {
    _id: text,
    ownerId: text,
    seq: { type: Number, required: true },
    eventId: text,
    type: text,
    createdAt: { type: Date, required: true },
    projectId: text,
    submissionId: String,
    erasedSubmissionId: String,
    origin: String,
    tokenId: String,
    data: String,
    dataBytes: { type: Number, required: true },
  },
  { versionKey: false },
);
feedSchema.index(PAGE_INDEX);
feedSchema.index(FEED_AGE_INDEX);
// Refuses a repeated event.
feedSchema.index({ ownerId: 1, eventId: 1 }, { unique: true });
feedSchema.index({ projectId: 1, submissionId: 1, dataBytes: 1 });
// The erasure of a link finds its events by this index. Only events about links have an origin.
feedSchema.index(
  { projectId: 1, origin: 1, dataBytes: 1 },
  { name: 'origins', partialFilterExpression: { origin: { $exists: true } } },
);

const startSchema = new Schema<FeedStartDocument>({ _id: text, gone: Number }, { versionKey: false });

export const feedCollections = [indexesOf('feed', feedSchema), indexesOf('feedstarts', startSchema)];

export const openFeedModels = (connection: Connection) => ({
  feed: connection.model<FeedDocument>('FeedEvent', feedSchema, 'feed'),
  feedStarts: connection.model<FeedStartDocument>('FeedStart', startSchema, 'feedstarts'),
});
