import { isDuplicateKey } from '@recording-request/kit-mongo/mongo';
import type { mongo } from 'mongoose';
import type { FeedErasure, FeedEvent, FeedFilter, FeedRow } from '../domain/feed.ts';
import { type Erasable, erasableQuery, isProject } from './erasable.ts';
import { FEED_AGE_INDEX, type FeedDocument, PAGE_INDEX } from './feed-models.ts';
import type { Models } from './models.ts';

export interface FeedQuery extends FeedFilter {
  ownerId: string;
  after: number;
  limit: number;
  /** The bytes of data on one page; an event that is larger has its own page. */
  maxBytes: number;
}

export interface FeedPage {
  events: FeedRow[];
  /** The number after which the next page begins. */
  next: number;
  /** Whether the feed had no more events. */
  caughtUp: boolean;
}

/** The feeds of the owners. Every query of an owner contains the owner's id. */
export interface FeedStore {
  /** Returns the number of the owner's last event, even if retention has deleted it; 0 before the first event. */
  last(ownerId: string): Promise<number>;
  /**
   * Inserts an event after the event with the number `previous`. Returns `present` when the feed has the event already,
   * and `followed` when another event follows that number.
   */
  insert(previous: number, row: FeedRow): Promise<'inserted' | 'present' | 'followed'>;
  /** Returns the next page. Examines at most SCANNED_MAX events for a filter. */
  page(query: FeedQuery): Promise<FeedPage>;
  /** Returns the number of the owner's newest event that was deleted because of its age; 0 if none was. */
  gone(ownerId: string): Promise<number>;
  /** Returns the number of the last stored event of each owner; omits owners without stored events. */
  lastOfEach(ownerIds: readonly string[]): Promise<Map<string, number>>;
  /** Returns the extent of the erasure that covers an event, even if the feed does not have the event yet. */
  erasureOf(event: Pick<FeedEvent, 'ownerId' | 'projectId' | 'submissionId' | 'origin'>): Promise<FeedErasure>;
  /**
   * Removes the data from the events of a submission or a link, or the data and links from the events of a project.
   * Returns the number of these events.
   */
  erase(which: Erasable): Promise<number>;
  /** Removes the data of one event; in an erased project also its link. */
  eraseEvent(event: Pick<FeedEvent, 'ownerId' | 'id'>, erasure: 'data' | 'project'): Promise<void>;
  /** Counts the events whose data `erase` would remove. */
  tally(which: Erasable): Promise<number>;
  /** Deletes the feed of an owner, and leaves a tombstone. Returns the number of events. */
  eraseOwner(ownerId: string, at: Date): Promise<number>;
  countOwner(ownerId: string): Promise<number>;
  /** Deletes at most `limit` events that were recorded before `before`. Returns their number. */
  deleteOld(before: Date, limit: number): Promise<number>;
}

/** The maximum number of events that a filtered page examines. It reads only an index. */
export const SCANNED_MAX = 5_000;
/** A filtered page first examines this many events for each event that it may return. */
const FIRST_SCANNED = 4;
const READ_AT_ONCE = 16;

const isFiltered = ({ types, projectId }: FeedFilter): boolean => types.length > 0 || projectId !== '';

export function feedStore({ feed, feedStarts, erasures }: Models): FeedStore {
  /** Returns the number of the last of the next `count` events, and whether the feed ends there. */
  async function windowOf(ownerId: string, after: number, count: number): Promise<{ end: number; isLast: boolean }> {
    if (count === Infinity) return { end: Infinity, isLast: true };
    const [found] = await feed
      .aggregate<{ end: number; count: number }>([
        { $match: { ownerId, seq: { $gt: after } } },
        { $sort: { ownerId: 1, seq: 1 } },
        { $limit: count },
        { $group: { _id: null, end: { $max: '$seq' }, count: { $sum: 1 } } },
      ])
      .hint(PAGE_INDEX);
    return { end: found?.end ?? after, isLast: (found?.count ?? 0) < count };
  }

  /** Yields the events between the numbers `after` and `end`: at most one event more than a page has. */
  async function* rowsOf(query: FeedQuery, after: number, end: number): AsyncGenerator<FeedRow> {
    const { ownerId, types, projectId, limit } = query;
    const cursor = feed
      .find({
        ...{ ownerId, seq: { $gt: after, ...(end !== Infinity && { $lte: end }) } },
        ...(types.length > 0 && { type: { $in: types } }),
        ...(projectId !== '' && { projectId }),
      })
      .sort({ ownerId: 1, seq: 1 })
      .hint(PAGE_INDEX)
      .limit(limit + 1)
      .lean<FeedDocument[]>()
      .cursor({ batchSize: READ_AT_ONCE });
    for await (const { _id: _, eventId: id, ...row } of cursor) yield { id, ...row };
  }

  const gone = async (ownerId: string): Promise<number> =>
    (await feedStarts.findOne({ _id: ownerId }, { _id: 0, gone: 1 }).lean())?.gone ?? 0;

  return {
    async last(ownerId) {
      const row = await feed
        .findOne({ ownerId }, { _id: 0, seq: 1 })
        .sort({ ownerId: -1, seq: -1 })
        .hint(PAGE_INDEX)
        .lean<{ seq: number }>();
      return row?.seq ?? (await gone(ownerId));
    },
    async insert(previous, { id, ...row }) {
      try {
        await feed.insertOne({ _id: `${row.ownerId} ${previous}`, eventId: id, ...row });
        return 'inserted';
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return 'eventId' in ((error as mongo.MongoServerError).keyPattern ?? {}) ? 'present' : 'followed';
      }
    },
    async page(query) {
      const { ownerId, after, limit, maxBytes } = query;
      const few = FIRST_SCANNED * (limit + 1);
      const events: FeedRow[] = [];
      let bytes = 0;
      let reached = after;
      // Tries a few events first, because most filters fill a page from these.
      for (const count of isFiltered(query) ? [few, SCANNED_MAX - few] : [Infinity]) {
        const { end, isLast } = await windowOf(ownerId, reached, count);
        for await (const row of rowsOf(query, reached, end)) {
          bytes += row.dataBytes;
          if (events.length === limit || (events.length > 0 && bytes > maxBytes))
            return { events, next: events.at(-1)!.seq, caughtUp: false };
          events.push(row);
        }
        reached = end === Infinity ? (events.at(-1)?.seq ?? after) : end;
        if (isLast) return { events, next: reached, caughtUp: true };
      }
      return { events, next: reached, caughtUp: false };
    },
    gone,
    async lastOfEach(ownerIds) {
      const found = await feed
        .aggregate<{ _id: string; seq: number }>([
          { $match: { ownerId: { $in: [...ownerIds] } } },
          { $sort: { ownerId: -1, seq: -1 } },
          { $group: { _id: '$ownerId', seq: { $first: '$seq' } } },
        ])
        .hint(PAGE_INDEX);
      return new Map(found.map(({ _id, seq }) => [_id, seq]));
    },
    async erasureOf({ ownerId, projectId, submissionId, origin }) {
      const ids = [
        ownerId,
        projectId,
        ...(submissionId === '' ? [] : [submissionId]),
        ...(origin === undefined ? [] : [origin]),
      ];
      const found = await erasures.find({ _id: { $in: ids } }, { _id: 1 }).lean();
      if (found.length === 0) return 'nothing';
      const has = (id: string) => found.some(({ _id }) => _id === id);
      if (has(ownerId)) return 'owner';
      return has(projectId) ? 'project' : 'data';
    },
    async erase(which) {
      const { projectId } = which;
      // Also removes the ids of links, because the links of an erased project no longer exist. An event without both
      // stays as it is, and is not counted.
      const { modifiedCount } = isProject(which)
        ? await feed.updateMany({ projectId }, WITHOUT_LINK)
        : await feed.updateMany(withData(which), BARE);
      return modifiedCount;
    },
    async eraseEvent({ ownerId, id: eventId }, erasure) {
      await feed.updateOne({ ownerId, eventId }, erasure === 'project' ? WITHOUT_LINK : BARE);
    },
    tally: which => feed.countDocuments(withData(which)),
    async eraseOwner(ownerId, at) {
      await erasures.updateOne({ _id: ownerId }, { $setOnInsert: { at } }, { upsert: true });
      const { deletedCount } = await feed.deleteMany({ ownerId });
      await feedStarts.deleteOne({ _id: ownerId });
      return deletedCount;
    },
    countOwner: ownerId => feed.countDocuments({ ownerId }),
    async deleteOld(before, limit) {
      const old = await feed
        .find({ seq: { $lt: before.getTime() } }, { _id: 0, seq: 1, ownerId: 1 })
        .hint(FEED_AGE_INDEX)
        .sort({ seq: 1 })
        .limit(limit)
        .lean();
      let deleted = 0;
      for (const [ownerId, rows] of Map.groupBy(old, row => row.ownerId)) {
        const end = rows.at(-1)!.seq;
        // Writes this first, so that a reader who misses deleted events notices the gap.
        await feedStarts.updateOne({ _id: ownerId }, { $max: { gone: end } }, { upsert: true });
        deleted += (await feed.deleteMany({ ownerId, seq: { $lte: end } })).deletedCount;
      }
      return deleted;
    },
  };
}

const BARE = { $unset: { data: 1 as const }, $set: { dataBytes: 0 } };
const WITHOUT_LINK = { $unset: { ...BARE.$unset, origin: 1 as const }, $set: { ...BARE.$set, tokenId: '' } };

// The indexes contain the size, so that a count reads only an index.
const withData = (which: Erasable) => ({ ...erasableQuery(which), dataBytes: { $gt: 0 } });
