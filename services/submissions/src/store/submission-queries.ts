import type { Counts, Filter, Submission, TranscriptState } from '../domain/submission.ts';
import type { Models } from './models.ts';

/** The queries behind lists and counts. */
export interface SubmissionQueries {
  /** Newest first, older than `before` where it is given. */
  page(ownerId: string, projectId: string, filter: Filter, limit: number, before?: string): Promise<Submission[]>;
  count(ownerId: string, projectIds: string[]): Promise<Map<string, Counts>>;
  /** The sizes of the project's videos, in bytes. */
  measure(ownerId: string, projectId: string): Promise<{ bytes: number; selectedBytes: number }>;
}

type Row = Omit<Submission, 'id'> & { _id: string; revision: number };

export function submissionFromRow(row: unknown): Submission {
  const { _id, revision: _, outbox: __, ...rest } = row as Row & { outbox?: unknown };
  return { ...rest, id: _id };
}

// No index helps a search for parts of words: it reads the project's rows, and stops in time for an answer.
const PAGE_LIMIT_MS = 4_000;

export function createSubmissionQueries(submissions: Models['submissions']): SubmissionQueries {
  const query = (ownerId: string, projectId: string, filter: Filter) => ({
    projectId,
    ownerId,
    ...(filter.selected === undefined ? {} : { selected: filter.selected }),
    ...(filter.transcriptStatus === undefined ? {} : { transcriptStatus: filter.transcriptStatus }),
    ...(filter.linkId === undefined ? {} : { linkId: filter.linkId }),
    ...(filter.responseId === undefined ? {} : { responseId: filter.responseId }),
    ...(filter.mediaStatus === undefined ? {} : { mediaStatus: filter.mediaStatus }),
    ...(filter.createdAfter === undefined ? {} : { createdAt: { $gt: filter.createdAfter } }),
    ...(filter.changedAfter === undefined ? {} : { changedAt: { $gt: filter.changedAfter } }),
    ...wordsQuery(filter.words),
  });
  return {
    async page(ownerId, projectId, filter, limit, before) {
      const older = before === undefined ? {} : { _id: { $lt: before } };
      const rows = await submissions
        .find({ ...query(ownerId, projectId, filter), ...older }, { outbox: 0 })
        .sort({ _id: -1 })
        .limit(limit)
        .maxTimeMS(PAGE_LIMIT_MS)
        .lean();
      return rows.map(submissionFromRow);
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
