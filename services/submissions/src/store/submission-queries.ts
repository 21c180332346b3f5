import { patternOf } from '@recording-request/kit/search-pattern';
import type { Stamp } from '@recording-request/kit/stamp-cache';
import type { Filter, Origin, Submission } from '../domain/clips/submission.ts';
import { CLOCKS_MS, firstIdAt } from './id-times.ts';
import { CHANGES_INDEX, type Models, PAGE_INDEX } from './models.ts';
import { stampsOf } from './project-stamps.ts';

/** A page of a list. */
export interface SubmissionPage {
  submissions: Submission[];
  /** True if more submissions follow these. */
  more: boolean;
}

export interface SubmissionQueries {
  /**
   * Returns a page, newest first, of submissions older than `before` if given. It has at most `limit` submissions and
   * at most 512 KiB of texts, but at least one submission. With `omitTranscripts`, it omits the texts of transcripts.
   */
  page(
    ownerId: string,
    projectId: string,
    filter: Filter,
    limit: number,
    before?: string,
    omitTranscripts?: boolean,
  ): Promise<SubmissionPage>;
  /**
   * Returns clips of all owners that landed in the range, by id, after the id `after`. Some of them may be up to a
   * minute outside the range, because the time in an id and `createdAt` are from different clocks.
   */
  landedBetween(range: { from: Date; to: Date }, after: string, limit: number): Promise<LandedClip[]>;
  /** Returns a stamp that changes with each change of the project's submissions; undefined when there are none. */
  stampOf(ownerId: string, projectId: string): Promise<Stamp | undefined>;
}

const LANDED = {
  ...{ projectId: 1, createdAt: 1, mediaStatus: 1, mediaError: 1, 'source.key': 1, 'video.key': 1 },
  ...{ transcriptStatus: 1, transcriptError: 1 },
} as const;

export type LandedClip = Pick<
  Submission,
  | 'id'
  | 'projectId'
  | 'createdAt'
  | 'mediaStatus'
  | 'mediaError'
  | 'source'
  | 'video'
  | 'transcriptStatus'
  | 'transcriptError'
>;

const LISTED = { outbox: 0, 'terms.text': 0, 'source.parts': 0, timedNotes: 0 } as const;
const TRANSCRIPTS = { transcriptText: 0, transcriptVtt: 0 } as const;

type Row = Omit<Submission, 'id'> & { _id: string; revision: number };

export function submissionFromRow(row: unknown): Submission {
  const { _id, revision: _, outbox: __, ...rest } = row as Row & { outbox?: unknown };
  return { ...rest, id: _id };
}

// No index supports a search for parts of words, so it reads the project's rows. The limit ends it in time for an HTTP
// response.
const PAGE_LIMIT_MS = 4_000;
// Small, because many concurrent requests each hold several copies of a page.
const PAGE_BYTES = 512 * 1024;
const ROW_BYTES = 1_024;

// If at most this many submissions changed, the query reads them by their ids; otherwise it reads the whole project.
const CHANGED_MAX = 500;
const EITHER = { $in: [false, true] };

/** Returns the query for a filter. */
export const listQuery = (ownerId: string, projectId: string, filter: Filter) => ({
  projectId,
  ownerId,
  ...(filter.selected === undefined ? {} : { selected: filter.selected }),
  // Names `selected`, because the index for this filter has it before `_id`.
  ...(filter.transcriptStatus === undefined
    ? {}
    : { transcriptStatus: filter.transcriptStatus, selected: filter.selected ?? EITHER }),
  ...(filter.linkId === undefined ? {} : { linkId: filter.linkId }),
  ...(filter.responseId === undefined ? {} : { responseId: filter.responseId }),
  ...(filter.mediaStatus === undefined ? {} : { mediaStatus: filter.mediaStatus }),
  ...createdQuery(filter),
  ...(filter.changedAfter === undefined ? {} : { changedAt: { $gt: filter.changedAfter } }),
  ...wordsQuery(filter.words),
});

/** Returns the origins that the other filters allow. */
const allowed = (origins: Origin[], { linkId, responseId }: Filter): Origin[] =>
  origins.filter(
    each =>
      (linkId === undefined || each.linkId === linkId) &&
      (responseId === undefined || each.responseId === undefined || each.responseId === responseId),
  );

/** Limits a query to the clips of some links, and of some responses of other links. */
function ofOrigins(query: object, origins: Origin[]): object {
  const { links, responses } = split(origins);
  const those = [
    ...(links.length > 0 ? [{ linkId: { $in: links } }] : []),
    ...(responses.length > 0 ? [{ responseId: { $in: responses } }] : []),
  ].map(each => ({ ...query, ...each }));
  // If a query is only one `$or`, the database plans each part of it separately, so each part uses its own index.
  return those.length === 1 ? those[0]! : { $or: those };
}

/** Returns undefined if the query needs two indexes. */
function originsIndex(origins: Origin[]) {
  const { links, responses } = split(origins);
  if (links.length > 0 && responses.length > 0) return undefined;
  return responses.length > 0 ? PAGE_INDEX.responseId : PAGE_INDEX.linkId;
}

const split = (origins: Origin[]) => ({
  links: origins.filter(({ responseId }) => responseId === undefined).map(({ linkId }) => linkId),
  responses: origins.map(({ responseId }) => responseId).filter(each => each !== undefined),
});

function createdQuery({ createdAfter, createdBefore }: Filter): object {
  const bounds = {
    ...(createdAfter === undefined ? {} : { $gt: createdAfter }),
    ...(createdBefore === undefined ? {} : { $lt: createdBefore }),
  };
  return Object.keys(bounds).length === 0 ? {} : { createdAt: bounds };
}

export function createSubmissionQueries(submissions: Models['submissions']): SubmissionQueries {
  /** Returns the ids of submissions that changed after `since`; undefined when there are too many. */
  async function changedIds(ownerId: string, projectId: string, since: Date, before: string | undefined) {
    const rows = await submissions
      .find({ projectId, ownerId, changedAt: { $gt: since } }, { _id: 1 })
      .hint(CHANGES_INDEX)
      .limit(CHANGED_MAX + 1)
      .maxTimeMS(PAGE_LIMIT_MS)
      .lean();
    if (rows.length > CHANGED_MAX) return undefined;
    return rows.map(({ _id }) => String(_id)).filter(id => before === undefined || id < before);
  }

  /** Returns the ids that can be on a page, and the index that contains them in order. */
  async function rangeOf(ownerId: string, projectId: string, filter: Filter, before?: string) {
    const { changedAfter, createdAfter, createdBefore } = filter;
    const changed = changedAfter && (await changedIds(ownerId, projectId, changedAfter, before));
    if (changed) return { range: { _id: { $in: changed } }, index: { _id: 1 } as const };
    const bounds = {
      ...boundBefore(before, createdBefore),
      ...(createdAfter === undefined ? {} : { $gte: firstIdAt(createdAfter.getTime() - CLOCKS_MS) }),
    };
    return {
      range: Object.keys(bounds).length > 0 ? { _id: bounds } : {},
      index: filter.origins ? originsIndex(filter.origins) : listIndex(filter),
    };
  }

  return {
    stampOf: async (ownerId, projectId) => (await stampsOf(submissions, ownerId, [projectId])).get(projectId),
    async landedBetween({ from, to }, after, limit) {
      const first = firstIdAt(from.getTime() - CLOCKS_MS);
      const rows = await submissions
        .find(
          { _id: { ...(after > first ? { $gt: after } : { $gte: first }), $lt: firstIdAt(to.getTime() + CLOCKS_MS) } },
          LANDED,
        )
        .sort({ _id: 1 })
        .hint({ _id: 1 })
        .limit(limit)
        .maxTimeMS(PAGE_LIMIT_MS)
        .lean();
      return rows.map(submissionFromRow);
    },
    async page(ownerId, projectId, filter, limit, before, omitTranscripts = false) {
      const origins = filter.origins && allowed(filter.origins, filter);
      if (origins?.length === 0) return { submissions: [], more: false };
      const { range, index } = await rangeOf(ownerId, projectId, { ...filter, origins }, before);
      const query = { ...listQuery(ownerId, projectId, filter), ...range };
      const fields = omitTranscripts ? { ...LISTED, ...TRANSCRIPTS } : LISTED;
      const found = submissions.find(origins ? ofOrigins(query, origins) : query, fields);
      const rows = (index ? found.hint(index) : found)
        .sort({ _id: -1 })
        // One additional row, to find out whether another page follows.
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
          // Leaving the loop does not close the cursor.
          await rows.close();
          return { submissions: page, more: true };
        }
        page.push(submission);
      }
      return { submissions: page, more: false };
    },
  };
}

/**
 * Returns the index of the filter that usually matches the fewest rows; the other filters are applied to its results.
 */
export function listIndex(filter: Filter) {
  const order = ['responseId', 'linkId', 'mediaStatus', 'transcriptStatus', 'selected'] as const;
  return PAGE_INDEX[order.find(name => filter[name] !== undefined) ?? 'none'];
}

/**
 * Limits ids by `before` and `createdBefore`, with a margin, because the time in an id and `createdAt` are from
 * different clocks.
 */
function boundBefore(before: string | undefined, createdBefore: Date | undefined): { $lt?: string } {
  const bounds = [before, createdBefore && firstIdAt(createdBefore.getTime() + CLOCKS_MS)].filter(
    each => each !== undefined,
  );
  return bounds.length === 0 ? {} : { $lt: bounds.sort()[0]! };
}

const bytesOf = ({ transcriptText, transcriptVtt, note, reviewNote, questionText }: Submission): number =>
  [transcriptText, transcriptVtt, note, reviewNote, questionText].reduce(
    (bytes, text) => bytes + Buffer.byteLength(text ?? ''),
    ROW_BYTES,
  );

const SEARCHED = ['transcriptText', 'note', 'reviewNote', 'questionText'] as const;

/**
 * Each word must occur in one of the fields, in any of the word's spellings. Escapes characters that have a special
 * meaning in patterns.
 */
function wordsQuery(words: string[] = []): object {
  if (words.length === 0) return {};
  const each = words.map(word => ({ $regex: patternOf(word), $options: 'i' }));
  return { $and: each.map(pattern => ({ $or: SEARCHED.map(field => ({ [field]: pattern })) })) };
}
