import type { Counts, Filter, Submission, TranscriptState } from '../domain/submission.ts';
import type { Models } from './models.ts';

/** A part of a list. */
export interface SubmissionPage {
  submissions: Submission[];
  /** Whether others come after these. */
  more: boolean;
}

/** The queries behind lists and counts. */
export interface SubmissionQueries {
  /**
   * Newest first, older than `before` where it is given. At most `limit`, and no more than 8 MiB of texts can be: then
   * fewer, but one at least.
   */
  page(ownerId: string, projectId: string, filter: Filter, limit: number, before?: string): Promise<SubmissionPage>;
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
// A message between services has at most 32 MiB, and a page is held several times on its way to the client.
const PAGE_BYTES = 8 * 1024 * 1024;
const ROW_BYTES = 1_024;

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
      const rows = submissions
        .find({ ...query(ownerId, projectId, filter), ...older }, { outbox: 0, 'terms.text': 0 })
        .sort({ _id: -1 })
        // One more than asked: it shows whether there is another page.
        .limit(limit + 1)
        .maxTimeMS(PAGE_LIMIT_MS)
        .lean()
        .cursor();
      const page: Submission[] = [];
      let bytes = 0;
      for await (const row of rows) {
        const submission = submissionFromRow(row);
        bytes += bytesOf(submission);
        if (page.length === limit || (page.length > 0 && bytes > PAGE_BYTES)) {
          // A loop that is left keeps it open.
          await rows.close();
          return { submissions: page, more: true };
        }
        page.push(submission);
      }
      return { submissions: page, more: false };
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

const bytesOf = ({ transcriptText, transcriptVtt, note, reviewNote, questionText }: Submission): number =>
  [transcriptText, transcriptVtt, note, reviewNote, questionText].reduce(
    (bytes, text) => bytes + Buffer.byteLength(text ?? ''),
    ROW_BYTES,
  );

const SEARCHED = ['transcriptText', 'note', 'reviewNote', 'questionText'] as const;

// As the database's own dialect has it, which knows no \u escapes: RegExp.escape makes such.
const literally = (character: string) => (/[!-~]/.test(character) ? `\\${character}` : character);

/** Every word somewhere, each as it is written: nothing in it is a pattern. */
function wordsQuery(words: string[] = []): object {
  if (words.length === 0) return {};
  const each = words.map(word => ({ $regex: word.replaceAll(/[^\p{L}\p{N}]/gu, literally), $options: 'i' }));
  return { $and: each.map(pattern => ({ $or: SEARCHED.map(field => ({ [field]: pattern })) })) };
}
