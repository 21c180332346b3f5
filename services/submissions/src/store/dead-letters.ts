import { UNKNOWN_EVENT } from '@recording-request/events/event';
import { type Models, UNKNOWN_INDEX } from './models.ts';

/** A record of Kafka that a consumer could not handle. */
export interface DeadLetter {
  /** `<topic>-<partition>-<offset>-<group>`, so that a repetition is the same one. */
  id: string;
  topic: string;
  partition: number;
  offset: string;
  /** Whose consumer could not handle it. */
  group: string;
  /** A sentence for the operator. */
  reason: string;
  /** When it failed. It is deleted DEAD_LETTER_SECONDS later. */
  at: Date;
  /** "" where it is no event, as are the two ids. */
  eventType: string;
  projectId: string;
  submissionId: string;
  valueBytes: number;
  replayedAt: Date | undefined;
  droppedAt: Date | undefined;
  /** Of an event that was not known and has not ended: when it is looked at again. */
  retryAt: Date | undefined;
}

/** The record itself. */
export interface DeadLetterContent {
  key: Buffer | null;
  value: Buffer | null;
}

/** Of whom dead letters are counted or removed. */
export type Subject = { submissionId: string } | { projectId: string };

export type DeadLetterOrder = 'newest first' | 'oldest first';

export interface DeadLetterStore {
  /** Does nothing where it is there already, also where it has ended. */
  add(letter: Omit<DeadLetter, 'replayedAt' | 'droppedAt' | 'retryAt'>, content: DeadLetterContent): Promise<void>;
  /** Those that have not ended, from behind the one that `after` names. */
  list(limit: number, order: DeadLetterOrder, after?: Pick<DeadLetter, 'at' | 'id'>): Promise<DeadLetter[]>;
  find(id: string): Promise<DeadLetter | undefined>;
  contentOf(id: string): Promise<DeadLetterContent>;
  /** Removes its content. Returns the dead letter; undefined where there is none. One that has ended stays as it is. */
  end(id: string, how: 'replayedAt' | 'droppedAt'): Promise<DeadLetter | undefined>;
  /** Events that were not known and are due, those first that were looked at longest ago. */
  dueUnknown(now: Date, limit: number): Promise<DeadLetter[]>;
  /** Has one looked at again at `retryAt`, or never by itself. False where another process was quicker, or where it has ended. */
  postpone(letter: Pick<DeadLetter, 'id' | 'retryAt'>, retryAt: Date | undefined): Promise<boolean>;
  /** Removes one that was published again by itself: should that fail, it is another one. */
  forget(id: string): Promise<void>;
  count(subject: Subject): Promise<number>;
  /** How many have not ended, `limit` at most. */
  countOpen(limit: number): Promise<number>;
  /** Returns how many there were. */
  remove(subject: Subject): Promise<number>;
}

const WITHOUT_CONTENT = { key: 0, value: 0 } as const;
const OPEN = { replayedAt: null, droppedAt: null } as const;
// Behind all that are due.
const NEVER = new Date('9999-12-31');

export function createDeadLetterStore({ deadLetters }: Pick<Models, 'deadLetters'>): DeadLetterStore {
  const find = async (id: string) => {
    const row = await deadLetters.findById(id, WITHOUT_CONTENT).lean();
    return row ? fromRow(row as Row) : undefined;
  };
  return {
    find,
    async add({ id, ...letter }, content) {
      await deadLetters.updateOne({ _id: id }, { $setOnInsert: { ...letter, ...content } }, { upsert: true });
    },
    async list(limit, order, after) {
      const [way, from, to] =
        order === 'newest first' ? ([-1, '$lte', '$gte'] as const) : ([1, '$gte', '$lte'] as const);
      const place = after ? { at: { [from]: after.at }, $nor: [{ at: after.at, _id: { [to]: after.id } }] } : {};
      const rows = await deadLetters
        .find({ ...OPEN, ...place }, WITHOUT_CONTENT)
        .sort({ at: way, _id: way })
        .limit(limit)
        .lean();
      return rows.map(row => fromRow(row as Row));
    },
    countOpen: limit => deadLetters.countDocuments(OPEN).limit(limit).exec(),
    async contentOf(id) {
      const row = await deadLetters.collection.findOne(
        { _id: id as never },
        { projection: { key: 1, value: 1 }, promoteBuffers: true },
      );
      return { key: row?.key ?? null, value: row?.value ?? null };
    },
    async end(id, how) {
      await deadLetters.updateOne(
        { _id: id, ...OPEN },
        { $set: { [how]: new Date(), retryAt: NEVER }, $unset: { key: 1, value: 1 } },
      );
      return find(id);
    },
    async dueUnknown(now, limit) {
      const rows = await deadLetters
        .find({ reason: UNKNOWN_EVENT, retryAt: { $not: { $gt: now } }, ...OPEN }, WITHOUT_CONTENT)
        .sort({ retryAt: 1, _id: 1 })
        .hint(UNKNOWN_INDEX)
        .limit(limit)
        .lean();
      return rows.map(row => fromRow(row as Row));
    },
    async postpone({ id, retryAt: before = null }, retryAt) {
      const { modifiedCount } = await deadLetters.updateOne(
        { _id: id, retryAt: before, ...OPEN },
        { $set: { retryAt: retryAt ?? NEVER } },
      );
      return modifiedCount === 1;
    },
    forget: async id => void (await deadLetters.deleteOne({ _id: id })),
    count: subject => deadLetters.countDocuments(subject),
    remove: async subject => (await deadLetters.deleteMany(subject)).deletedCount,
  };
}

type Row = Omit<DeadLetter, 'id'> & { _id: string };

const fromRow = ({ _id, ...row }: Row): DeadLetter => ({
  ...row,
  id: _id,
  replayedAt: row.replayedAt ?? undefined,
  droppedAt: row.droppedAt ?? undefined,
  retryAt: row.retryAt && row.retryAt < NEVER ? row.retryAt : undefined,
});
