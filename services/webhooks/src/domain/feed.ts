export interface FeedEvent {
  /** The id that the owner sees. The webhook of the event has the same id. */
  id: string;
  ownerId: string;
  /** The type that the owner sees. */
  type: string;
  createdAt: Date;
  projectId: string;
  /** The submission whose erasure removes the data; "" if no erasure of a submission removes it. */
  submissionId: string;
  /** The erased submission in a submission.erased event. This id stays after the erasure. */
  erasedSubmissionId?: string;
  /** The link of an event about a link: the erasure of the link removes the event's data. */
  origin?: string;
  /** "" if the event is not about a link. */
  tokenId: string;
  /** The sealed data; absent after an erasure. */
  data?: string;
  /** The bytes of the data before it was compressed and sealed. */
  dataBytes: number;
}

/** An event at its place in the feed. */
export interface FeedRow extends FeedEvent {
  /**
   * The numbers of an owner's events increase, with gaps. A number is approximately the time when the feed recorded the
   * event, in milliseconds.
   */
  seq: number;
}

/** The extent of an erasure: nothing, the data of an event, the event's project, or its owner. */
export type FeedErasure = 'nothing' | 'data' | 'project' | 'owner';

/** Selects the events of a page. */
export interface FeedFilter {
  types: readonly string[];
  /** "" for all projects. */
  projectId: string;
}
