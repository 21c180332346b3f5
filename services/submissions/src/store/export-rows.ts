import type { Filter, Submission, TranscriptState } from '../domain/clips/submission.ts';
import { type Models, TERMS_INDEX, WITH_TERMS } from './models.ts';
import { listIndex, listQuery, submissionFromRow } from './submission-queries.ts';

/** The position in a video's object that an export could not read. */
export interface Unreadable {
  key: string;
  /** In bytes. */
  offset: number;
}

/** The fields of a submission that the plan of an export needs. */
export interface ExportRow {
  id: string;
  /** Increases with each change of the submission. */
  revision: number;
  changedAt: Date;
  selected: boolean;
  transcriptStatus: TranscriptState;
  /** The current video; undefined when none is stored. */
  video: { key: string; size: number } | undefined;
  /** True if the current video is the upload, which is removed after the media is made. */
  isSource: boolean;
  unreadable: Unreadable | undefined;
}

/** The fields to read: all except the long texts of terms, only the terms, or only the video. */
export type ExportPart = 'texts' | 'terms' | 'video';

/** At most `limit` ids after the id `after`, up to and including `upTo`. */
export interface IdRange {
  after?: string | undefined;
  upTo?: string | undefined;
  limit?: number;
}

export interface ExportRows {
  /** Yields the ids that match a filter, oldest first; reads only an index. Keeps a cursor open, like `plan`. */
  ids(ownerId: string, projectId: string, filter: Filter, range: IdRange): AsyncIterable<string>;
  /** Returns the last of these ids; undefined when there are none. */
  lastId(ownerId: string, projectId: string, filter: Filter): Promise<string | undefined>;
  /** Returns each accepted text of terms by its hex SHA-256, in order of the first acceptance. */
  terms(ownerId: string, projectId: string): Promise<Record<string, string>>;
  /**
   * Yields all submissions of a project, oldest first. Keeps a cursor open, so do not wait for a client between the
   * rows.
   */
  plan(ownerId: string, projectId: string): AsyncIterable<ExportRow>;
  /** Returns when a submission of the project last changed; undefined when there are none. Reads one index entry. */
  lastChange(ownerId: string, projectId: string): Promise<Date | undefined>;
  /** Returns the submissions that have these ids, oldest first; omits erased submissions. */
  read(ownerId: string, projectId: string, ids: string[], part: ExportPart): Promise<Submission[]>;
  /** Records the unreadable position of a video; undefined removes the record. */
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
  texts: { outbox: 0, unreadable: 0, 'terms.text': 0, 'source.parts': 0, timedNotes: 0 },
  terms: { terms: 1 },
  video: { createdAt: 1, video: 1, source: 1, linkId: 1, link: 1, responseId: 1 },
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
        // Reads one index entry for each text, however many contributors accepted it.
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
        // The submission was erased between the two reads; another submission may have the same text, so look again.
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
      // The content stays the same, so the revision and `changedAt` do not change.
      const update = where ? { $set: { unreadable: where } } : { $unset: { unreadable: 1 } };
      await submissions.updateOne({ _id: id, projectId, erasedAt: null }, update);
    },
  };
}
