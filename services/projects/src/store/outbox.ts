import type { Models } from './models.ts';

/** The collections whose documents have an outbox, in the order of publication, each with its shard key. */
export const CARRIERS = { projects: '_id', responses: 'linkId', links: 'projectId' } as const;

/** A count stops at this value, which then means "this many or more". */
const COUNTED_MAX = 10_000;
const LIMIT_MS = 10_000;
const UNPUBLISHED = { 'outbox.at': { $exists: true } };
const BY_AGE = { 'outbox.at': 1 } as const;

export interface UnpublishedEvents {
  oldest: Date | undefined;
  /** The number of documents with unpublished events. */
  documents: number;
}

export function createOutboxFigures({ projects, links, responses }: Models) {
  const carriers = [projects.collection, links.collection, responses.collection] as const;
  return {
    async unpublished(): Promise<UnpublishedEvents> {
      const found: UnpublishedEvents = { oldest: undefined, documents: 0 };
      for (const carrier of carriers) {
        const query = { projection: { 'outbox.at': 1 }, sort: BY_AGE, hint: BY_AGE, maxTimeMS: LIMIT_MS };
        const first = await carrier.findOne<{ outbox: { at: Date }[] }>(UNPUBLISHED, query);
        const at = first?.outbox[0]?.at;
        if (!at) continue;
        if (!found.oldest || at < found.oldest) found.oldest = at;
        const left = COUNTED_MAX - found.documents;
        if (left > 0)
          found.documents += await carrier.countDocuments(UNPUBLISHED, {
            limit: left,
            maxTimeMS: LIMIT_MS,
            hint: BY_AGE,
          });
      }
      return found;
    },
  };
}
