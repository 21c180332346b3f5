import type { Models } from './models.ts';

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
  /** When it failed. Seven days later it is forgotten. */
  at: Date;
  /** "" where it is no event, as are the two ids. */
  eventType: string;
  projectId: string;
  submissionId: string;
  valueBytes: number;
  replayedAt: Date | undefined;
  droppedAt: Date | undefined;
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
  add(letter: Omit<DeadLetter, 'replayedAt' | 'droppedAt'>, content: DeadLetterContent): Promise<void>;
  /** Those that have not ended, from behind the one that `after` names. */
  list(limit: number, order: DeadLetterOrder, after?: Pick<DeadLetter, 'at' | 'id'>): Promise<DeadLetter[]>;
  find(id: string): Promise<DeadLetter | undefined>;
  contentOf(id: string): Promise<DeadLetterContent>;
  /** Removes its content. Returns the dead letter; undefined where there is none. One that has ended stays as it is. */
  end(id: string, how: 'replayedAt' | 'droppedAt'): Promise<DeadLetter | undefined>;
  count(subject: Subject): Promise<number>;
  /** Returns how many there were. */
  remove(subject: Subject): Promise<number>;
}

const WITHOUT_CONTENT = { key: 0, value: 0 } as const;
const OPEN = { replayedAt: null, droppedAt: null } as const;

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
    async contentOf(id) {
      const row = await deadLetters.collection.findOne(
        { _id: id as never },
        { projection: { key: 1, value: 1 }, promoteBuffers: true },
      );
      return { key: row?.key ?? null, value: row?.value ?? null };
    },
    async end(id, how) {
      await deadLetters.updateOne({ _id: id, ...OPEN }, { $set: { [how]: new Date() }, $unset: { key: 1, value: 1 } });
      return find(id);
    },
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
});
