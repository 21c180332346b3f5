import type { Filter, Submission, TranscriptState } from '../domain/clips/submission.ts';
import { type Models, TERMS_INDEX, WITH_TERMS } from './models.ts';
import { listIndex, listQuery, submissionFromRow } from './submission-queries.ts';

/** Where the object of a video could not be read. */
export interface Unreadable {
  key: string;
  /** In bytes. */
  offset: number;
}

/** A submission as far as an export is planned by it. */
export interface ExportRow {
  id: string;
  /** Grows with each change of it. */
  revision: number;
  changedAt: Date;
  selected: boolean;
  transcriptStatus: TranscriptState;
  /** Its current video; undefined where none is stored. */
  video: { key: string; size: number } | undefined;
  /** Whether that is the upload as it came, which goes once its media is made. */
  isSource: boolean;
  unreadable: Unreadable | undefined;
}

/** What of a submission is read: all that is shown of it, its terms alone, or its video alone. */
export type ExportPart = 'texts' | 'terms' | 'video';

/** The ids behind `after`, up to `upTo`; `limit` of them at most. */
export interface IdRange {
  after?: string | undefined;
  upTo?: string | undefined;
  limit?: number;
}

export interface ExportRows {
  /** The ids of what a filter leaves, oldest first, from an index alone. Holds a cursor, as `plan` does. */
  ids(ownerId: string, projectId: string, filter: Filter, range: IdRange): AsyncIterable<string>;
  /** The last of these ids; undefined without any. */
  lastId(ownerId: string, projectId: string, filter: Filter): Promise<string | undefined>;
  /** Each text of terms that somebody accepted by its hex SHA-256, the one that was accepted first at the front. */
  terms(ownerId: string, projectId: string): Promise<Record<string, string>>;
  /** All of a project's submissions, oldest first. Holds a cursor: read it without waiting for a client. */
  plan(ownerId: string, projectId: string): AsyncIterable<ExportRow>;
  /** When a submission of the project changed last; undefined without any. From an index, however many there are. */
  lastChange(ownerId: string, projectId: string): Promise<Date | undefined>;
  /** Those of `ids` that are not erased, oldest first. */
  read(ownerId: string, projectId: string, ids: string[], part: ExportPart): Promise<Submission[]>;
  /** Notes that a video could not be read, or with undefined that it can be. */
  noteUnreadable(projectId: string, id: string, where: Unreadable | undefined): Promise<void>;
}

const PLAN_BATCH = 1_000;
const ID_BATCH = 10_000;
const LIMIT_MS = 30_000;
const PLAN_FIELDS = {
  ...{ revision: 1, changedAt: 1, selected: 1, transcriptStatus: 1, unreadable: 1 },
  ...{ 'video.key': 1, 'video.size': 1, 'source.key': 1, 'source.size': 1 },
} as const;
const FIELDS: Record<ExportPart, Record<string, 0 | 1>> = {
  texts: { outbox: 0, unreadable: 0, 'terms.text': 0, 'source.parts': 0 },
  terms: { terms: 1 },
  video: { createdAt: 1, video: 1, source: 1 },
};

export function createExportRows({ submissions }: Pick<Models, 'submissions'>): ExportRows {
  const those = (ownerId: string, projectId: string, ids: string[]) => ({ projectId, ownerId, _id: { $in: ids } });
  return {
    async *ids(ownerId, projectId, filter, { after, upTo, limit = 0 }) {
      const bounds = { ...(after === undefined ? {} : { $gt: after }), ...(upTo === undefined ? {} : { $lte: upTo }) };
      const range = Object.keys(bounds).length > 0 ? { _id: bounds } : {};
      const rows = submissions
        .find({ ...listQuery(ownerId, projectId, filter), ...range }, { _id: 1 })
        .hint(listIndex(filter))
        .sort({ _id: 1 })
        .limit(limit)
        .maxTimeMS(LIMIT_MS)
        .lean()
        .cursor({ batchSize: ID_BATCH });
      for await (const { _id } of rows) yield String(_id);
    },
    async lastId(ownerId, projectId, filter) {
      const row = await submissions
        .findOne(listQuery(ownerId, projectId, filter), { _id: 1 })
        .hint(listIndex(filter))
        .sort({ _id: -1 })
        .maxTimeMS(LIMIT_MS)
        .lean();
      return row ? String(row._id) : undefined;
    },
    async terms(ownerId, projectId) {
      for (;;) {
        // One look into the index for each text, however many accepted it.
        const texts = await submissions
          .aggregate<{ firstId: string }>([
            { $match: { projectId, ownerId, ...WITH_TERMS } },
            { $sort: { projectId: 1, ownerId: 1, 'terms.sha256': 1, _id: 1 } },
            { $group: { _id: '$terms.sha256', firstId: { $first: '$_id' } } },
          ])
          .hint(TERMS_INDEX)
          .option({ maxTimeMS: LIMIT_MS });
        if (texts.length === 0) return {};
        const ids = texts.map(({ firstId }) => firstId);
        const rows = await submissions
          .find(those(ownerId, projectId, ids), { 'terms.sha256': 1, 'terms.text': 1 })
          .sort({ _id: 1 })
          .maxTimeMS(LIMIT_MS)
          .lean<{ terms: { sha256: string; text: string } }[]>();
        // One was erased in between: another submission may have the same text.
        if (rows.length < ids.length) continue;
        return Object.fromEntries(rows.map(({ terms }) => [terms.sha256, terms.text]));
      }
    },
    async *plan(ownerId, projectId) {
      const rows = submissions
        .find({ projectId, ownerId }, PLAN_FIELDS)
        .sort({ _id: 1 })
        .maxTimeMS(LIMIT_MS)
        .lean()
        .cursor({ batchSize: PLAN_BATCH });
      for await (const row of rows) {
        const { revision, unreadable } = row as { revision: number; unreadable?: Unreadable };
        const { id, changedAt, selected, transcriptStatus, video, source } = submissionFromRow(row);
        const shown = { video: video ?? source, isSource: !video };
        yield { id, revision, changedAt, selected, transcriptStatus, ...shown, unreadable };
      }
    },
    async lastChange(projectOwner, projectId) {
      const row = await submissions
        .findOne({ projectId, ownerId: projectOwner }, { changedAt: 1 })
        .sort({ changedAt: -1 })
        .maxTimeMS(LIMIT_MS)
        .lean();
      return row?.changedAt ?? undefined;
    },
    async read(ownerId, projectId, ids, part) {
      const rows = await submissions
        .find(those(ownerId, projectId, ids), FIELDS[part])
        .sort({ _id: 1 })
        .maxTimeMS(LIMIT_MS)
        .lean();
      return rows.map(submissionFromRow);
    },
    async noteUnreadable(projectId, id, where) {
      // No change of the content: neither its revision nor the time of its last change move.
      const update = where ? { $set: { unreadable: where } } : { $unset: { unreadable: 1 } };
      await submissions.updateOne({ _id: id, projectId, erasedAt: null }, update);
    },
  };
}
