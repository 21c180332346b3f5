import { outboxEntry } from '@recording-request/events/kafka';
import { isDuplicateKey } from '@recording-request/kit/mongo';
import type { Event } from '@recording-request/proto/events/v1/events';
import type { Change, Submission, TranscriptState } from '../domain/submission.ts';
import type { Models } from './models.ts';

export interface Filter {
  selected?: boolean;
  transcriptStatus?: TranscriptState;
  /** Words that all stand in what was said, noted or asked. */
  words?: string[];
  linkId?: string;
  responseId?: string;
}

export interface Counts {
  total: number;
  selected: number;
  byTranscript: Partial<Record<TranscriptState, number>>;
}

export interface SubmissionStore {
  /** Inserts the submission with its events in one write; nothing happens when it is there. False: it was erased. */
  land(submission: Submission, events: Event[]): Promise<boolean>;
  find(ownerId: string, projectId: string, id: string): Promise<Submission | undefined>;
  /** Newest first, older than `before` where it is given. */
  page(ownerId: string, projectId: string, filter: Filter, limit: number, before?: string): Promise<Submission[]>;
  /** Oldest first, in batches. */
  all(ownerId: string, projectId: string, filter: Filter): AsyncIterable<Submission>;
  count(ownerId: string, projectIds: string[]): Promise<Map<string, Counts>>;
  /** The sizes of the project's videos, in bytes. */
  measure(ownerId: string, projectId: string): Promise<{ bytes: number; selectedBytes: number }>;
  /**
   * Applies `decide` to the submission as it is: fields and events in one write, decided anew when another write came
   * between. `decide` gives undefined for nothing to do. Resolves to the submission after it, undefined when there is none.
   */
  change(
    key: { projectId: string; submissionId: string; ownerId?: string },
    decide: (submission: Submission) => Change | undefined,
  ): Promise<Submission | undefined>;
  /** Forgets the upload as it came, once its object is gone. */
  dropSource(projectId: string, id: string): Promise<void>;
  /** Those whose media or transcript was asked for before `before` and has not come. */
  stuck(before: Date, limit: number): Promise<Submission[]>;
  /** When anything of the project's content changed last. */
  lastChange(ownerId: string, projectId: string): Promise<Date | undefined>;
}

type Row = Omit<Submission, 'id'> & { _id: string; revision: number };

function fromRow(row: unknown): Submission {
  const { _id, revision: _, outbox: __, ...rest } = row as Row & { outbox?: unknown };
  return { ...rest, id: _id };
}

const BATCH = 200;
// No index helps a search for parts of words: it reads the project's rows, and gives up in time for an answer.
const PAGE_LIMIT_MS = 4_000;

export function createSubmissionStore({ submissions }: Models): SubmissionStore {
  const query = (ownerId: string, projectId: string, filter: Filter) => ({
    projectId,
    ownerId,
    ...(filter.selected === undefined ? {} : { selected: filter.selected }),
    ...(filter.transcriptStatus === undefined ? {} : { transcriptStatus: filter.transcriptStatus }),
    ...(filter.linkId === undefined ? {} : { linkId: filter.linkId }),
    ...(filter.responseId === undefined ? {} : { responseId: filter.responseId }),
    ...wordsQuery(filter.words),
  });
  return {
    async land({ id, ...rest }, events) {
      try {
        await submissions.create({ _id: id, ...rest, revision: 1, outbox: events.map(outboxEntry) });
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // The same landing once more is fine; another clip as the same answer must never be.
        const there = await submissions.findOne({ _id: id, projectId: rest.projectId }, { erasedAt: 1 }).lean();
        if (!there) throw error;
        return !there.erasedAt;
      }
    },
    async find(ownerId, projectId, id) {
      const row = await submissions.findOne({ _id: id, projectId, ownerId }, { outbox: 0 }).lean();
      return row ? fromRow(row) : undefined;
    },
    async page(ownerId, projectId, filter, limit, before) {
      const older = before === undefined ? {} : { _id: { $lt: before } };
      const rows = await submissions
        .find({ ...query(ownerId, projectId, filter), ...older }, { outbox: 0 })
        .sort({ _id: -1 })
        .limit(limit)
        .maxTimeMS(PAGE_LIMIT_MS)
        .lean();
      return rows.map(fromRow);
    },
    async *all(ownerId, projectId, filter) {
      // Pages of their own instead of one cursor: a reader that is slow does not keep a cursor open for hours.
      for (let after = ''; ; ) {
        const rows = await submissions
          .find({ ...query(ownerId, projectId, filter), _id: { $gt: after } }, { outbox: 0 })
          .sort({ _id: 1 })
          .limit(BATCH)
          .lean();
        for (const row of rows) yield fromRow(row);
        if (rows.length < BATCH) return;
        after = rows.at(-1)!._id as string;
      }
    },
    async count(ownerId, projectIds) {
      const rows = await submissions.aggregate<{
        _id: { projectId: string; transcriptStatus: TranscriptState; selected: boolean };
        n: number;
      }>([
        { $match: { projectId: { $in: projectIds }, ownerId } },
        { $project: { _id: 0, projectId: 1, transcriptStatus: 1, selected: 1 } },
        {
          $group: {
            _id: { projectId: '$projectId', transcriptStatus: '$transcriptStatus', selected: '$selected' },
            n: { $sum: 1 },
          },
        },
      ]);
      const counts = new Map<string, Counts>(projectIds.map(id => [id, { total: 0, selected: 0, byTranscript: {} }]));
      for (const { _id, n } of rows) {
        const entry = counts.get(_id.projectId)!;
        entry.total += n;
        if (_id.selected) entry.selected += n;
        entry.byTranscript[_id.transcriptStatus] = (entry.byTranscript[_id.transcriptStatus] ?? 0) + n;
      }
      return counts;
    },
    async measure(ownerId, projectId) {
      const size = { $ifNull: ['$video.size', { $ifNull: ['$source.size', 0] }] };
      const [row] = await submissions
        .aggregate<{ bytes: number; selectedBytes: number }>([
          { $match: { projectId, ownerId } },
          // Named, so that the index covers it.
          { $project: { _id: 0, selected: 1, 'video.size': 1, 'source.size': 1 } },
          {
            $group: {
              _id: null,
              bytes: { $sum: size },
              selectedBytes: { $sum: { $cond: ['$selected', size, 0] } },
            },
          },
        ])
        .option({ maxTimeMS: PAGE_LIMIT_MS });
      return { bytes: row?.bytes ?? 0, selectedBytes: row?.selectedBytes ?? 0 };
    },
    async change({ projectId, submissionId, ownerId }, decide) {
      const filter = { _id: submissionId, projectId, erasedAt: null, ...(ownerId === undefined ? {} : { ownerId }) };
      for (;;) {
        const row = await submissions.findOne(filter, { outbox: 0 }).lean();
        if (!row) return undefined;
        const submission = fromRow(row);
        const change = decide(submission);
        if (!change) return submission;
        const set = { ...change.set, changedAt: new Date() };
        const { modifiedCount } = await submissions.updateOne(
          { _id: submissionId, projectId, revision: row.revision },
          {
            ...assignments(set),
            $inc: { revision: 1 },
            ...(change.events.length > 0 ? { $push: { outbox: { $each: change.events.map(outboxEntry) } } } : {}),
          },
        );
        if (modifiedCount > 0) return { ...submission, ...set };
      }
    },
    async dropSource(projectId, id) {
      await submissions.updateOne({ _id: id, projectId, video: { $ne: null } }, { $unset: { source: 1 } });
    },
    async stuck(before, limit) {
      const [media, transcripts] = await Promise.all([
        submissions
          .find({ mediaStatus: 'processing', askedAt: { $lt: before } }, { outbox: 0 })
          .limit(limit)
          .lean(),
        submissions
          .find(
            { mediaStatus: 'ready', transcriptStatus: { $in: ['pending', 'processing'] }, askedAt: { $lt: before } },
            { outbox: 0 },
          )
          .limit(limit)
          .lean(),
      ]);
      return [...media, ...transcripts].map(fromRow);
    },
    async lastChange(ownerId, projectId) {
      const [row] = await submissions.aggregate<{ at: Date }>([
        { $match: { projectId, ownerId } },
        { $group: { _id: null, at: { $max: '$changedAt' } } },
      ]);
      return row?.at;
    },
  };
}

const SEARCHED = ['transcriptText', 'note', 'reviewNote', 'questionText'] as const;

// As the database's own dialect has it, which knows no \u escapes: RegExp.escape makes such.
const literally = (character: string) => (/[!-~]/.test(character) ? `\\${character}` : character);

/** Every word somewhere, each as it is written: nothing in it is a pattern. */
function wordsQuery(words: string[] = []): object {
  if (words.length === 0) return {};
  const each = words.map(word => ({ $regex: word.replaceAll(/[^\p{L}\p{N}]/gu, literally), $options: 'i' }));
  return { $and: each.map(pattern => ({ $or: SEARCHED.map(field => ({ [field]: pattern })) })) };
}

// MongoDB keeps `undefined` out of $set: such a field is taken away instead.
function assignments(set: Record<string, unknown>): object {
  const entries = Object.entries(set);
  const gone = entries.filter(([, value]) => value === undefined).map(([name]) => [name, 1]);
  const $set = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  return gone.length > 0 ? { $set, $unset: Object.fromEntries(gone) } : { $set };
}
