export interface FeedEvent {
  /** The id that the owner sees, the same as the webhook's. */
  id: string;
  ownerId: string;
  /** The type that the owner sees. */
  type: string;
  createdAt: Date;
  projectId: string;
  /** The submission whose erasure removes the data; "" when no erasure of a submission removes it. */
  submissionId: string;
  /** The erased submission in a submission.erased event. This id stays after the erasure. */
  erasedSubmissionId?: string;
  /** The link of an event about a link: the erasure of the link removes the event's data. */
  origin?: string;
  /** "" when the event is about no link. */
  tokenId: string;
  /** The sealed data; absent after an erasure. */
  data?: string;
  /** The bytes of the data before it was compressed and sealed. */
  dataBytes: number;
}

/** An event at its place in the feed. */
export interface FeedRow extends FeedEvent {
  /** The numbers of an owner's events grow, with gaps. A number is about the time at which the feed recorded the event. */
  seq: number;
}

/** The extent of an erasure: nothing, the data of an event, the event's project, or its owner. */
export type FeedErasure = 'nothing' | 'data' | 'project' | 'owner';

/** The events that a page may have. */
export interface FeedFilter {
  types: readonly string[];
  /** "" for all projects. */
  projectId: string;
}
