import { UNKNOWN_EVENT } from '@recording-request/events/event';
import { type Models, UNKNOWN_INDEX } from './models.ts';

/** A Kafka record that a consumer could not handle. */
export interface DeadLetter {
  /** `<topic>-<partition>-<offset>-<group>`, so that a record that is delivered again has the same id. */
  id: string;
  topic: string;
  partition: number;
  offset: string;
  /** The consumer group that could not handle the record. */
  group: string;
  /** A sentence for the operator. */
  reason: string;
  /** When the record failed. The dead letter is deleted DEAD_LETTER_SECONDS later. */
  at: Date;
  /** The event's type. The type and the two ids are "" when the record is not an event. */
  eventType: string;
  projectId: string;
  submissionId: string;
  valueBytes: number;
  replayedAt: Date | undefined;
  droppedAt: Date | undefined;
  /** For an unknown event that was neither replayed nor dropped: the time of the next check. */
  retryAt: Date | undefined;
}

/** The content of the record. */
export interface DeadLetterContent {
  key: Buffer | null;
  value: Buffer | null;
}

/** The submission or project whose dead letters are counted or removed. */
export type Subject = { submissionId: string } | { projectId: string };

export type DeadLetterOrder = 'newest first' | 'oldest first';

export interface DeadLetterStore {
  /** Adds a dead letter. Does nothing when it exists already, even if it was replayed or dropped. */
  add(letter: Omit<DeadLetter, 'replayedAt' | 'droppedAt' | 'retryAt'>, content: DeadLetterContent): Promise<void>;
  /** Returns open dead letters (neither replayed nor dropped) after the dead letter that `after` names. */
  list(limit: number, order: DeadLetterOrder, after?: Pick<DeadLetter, 'at' | 'id'>): Promise<DeadLetter[]>;
  find(id: string): Promise<DeadLetter | undefined>;
  contentOf(id: string): Promise<DeadLetterContent>;
  /**
   * Marks a dead letter as replayed or dropped, and removes its content. Does not change one that is already marked.
   * Returns the dead letter; undefined when there is none.
   */
  end(id: string, how: 'replayedAt' | 'droppedAt'): Promise<DeadLetter | undefined>;
  /** Returns unknown events whose check is due, the longest unchecked first. */
  dueUnknown(now: Date, limit: number): Promise<DeadLetter[]>;
  /**
   * Sets the next check to `retryAt`, or to never. Returns false when another process was faster, or the dead letter
   * was replayed or dropped.
   */
  postpone(letter: Pick<DeadLetter, 'id' | 'retryAt'>, retryAt: Date | undefined): Promise<boolean>;
  /**
   * Removes a dead letter that was published again automatically. If the record fails again, it becomes a new dead
   * letter.
   */
  forget(id: string): Promise<void>;
  count(subject: Subject): Promise<number>;
  /** Returns the number of open dead letters, at most `limit`. */
  countOpen(limit: number): Promise<number>;
  /** Removes the dead letters of a submission or a project. Returns their number. */
  remove(subject: Subject): Promise<number>;
}

const WITHOUT_CONTENT = { key: 0, value: 0 } as const;
const OPEN = { replayedAt: null, droppedAt: null } as const;
// A date that sorts after all due times.
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
