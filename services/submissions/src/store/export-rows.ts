import type { Submission, TranscriptState } from '../domain/submission.ts';
import type { Models } from './models.ts';
import { submissionFromRow } from './submission-queries.ts';

/** Where the object of a video could not be read. */
export interface Unreadable {
  key: string;
  /** In bytes. */
  offset: number;
}

/** A submission as far as an export is planned by it. */
export interface ExportRow {
  id: string;
  changedAt: Date;
  selected: boolean;
  transcriptStatus: TranscriptState;
  /** Its current video; undefined where none is stored. */
  video: { key: string; size: number } | undefined;
  unreadable: Unreadable | undefined;
}

/** What of a submission is read: all that is shown of it, its terms alone, or its video alone. */
export type ExportPart = 'texts' | 'terms' | 'video';

export interface ExportRows {
  /** All of a project's submissions, oldest first. Holds a cursor: read it without waiting for a client. */
  plan(ownerId: string, projectId: string): AsyncIterable<ExportRow>;
  /** Those of `ids` that are not erased, oldest first. */
  read(ownerId: string, projectId: string, ids: string[], part: ExportPart): Promise<Submission[]>;
  /** How many of `ids` are not erased. */
  count(ownerId: string, projectId: string, ids: string[]): Promise<number>;
  /** Notes that a video could not be read, or with undefined that it can be. */
  noteUnreadable(projectId: string, id: string, where: Unreadable | undefined): Promise<void>;
}

const PLAN_BATCH = 1_000;
const LIMIT_MS = 30_000;
const PLAN_FIELDS = {
  ...{ changedAt: 1, selected: 1, transcriptStatus: 1, unreadable: 1 },
  ...{ 'video.key': 1, 'video.size': 1, 'source.key': 1, 'source.size': 1 },
} as const;
const FIELDS: Record<ExportPart, Record<string, 0 | 1>> = {
  texts: { outbox: 0, unreadable: 0, 'terms.text': 0 },
  terms: { terms: 1 },
  video: { createdAt: 1, video: 1, source: 1 },
};

export function createExportRows({ submissions }: Pick<Models, 'submissions'>): ExportRows {
  const those = (ownerId: string, projectId: string, ids: string[]) => ({ projectId, ownerId, _id: { $in: ids } });
  return {
    async *plan(ownerId, projectId) {
      const rows = submissions
        .find({ projectId, ownerId }, PLAN_FIELDS)
        .sort({ _id: 1 })
        .maxTimeMS(LIMIT_MS)
        .lean()
        .cursor({ batchSize: PLAN_BATCH });
      for await (const row of rows) {
        const { id, changedAt, selected, transcriptStatus, video, source, unreadable } = submissionFromRow(
          row,
        ) as Submission & { unreadable?: Unreadable };
        yield { id, changedAt, selected, transcriptStatus, video: video ?? source, unreadable };
      }
    },
    async read(ownerId, projectId, ids, part) {
      const rows = await submissions
        .find(those(ownerId, projectId, ids), FIELDS[part])
        .sort({ _id: 1 })
        .maxTimeMS(LIMIT_MS)
        .lean();
      return rows.map(submissionFromRow);
    },
    count: (ownerId, projectId, ids) => submissions.countDocuments(those(ownerId, projectId, ids)).maxTimeMS(LIMIT_MS),
    async noteUnreadable(projectId, id, where) {
      // No change of the content: neither its revision nor the time of its last change move.
      const update = where ? { $set: { unreadable: where } } : { $unset: { unreadable: 1 } };
      await submissions.updateOne({ _id: id, projectId, erasedAt: null }, update);
    },
  };
}
