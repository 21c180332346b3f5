import type { Models } from './models.ts';

/** The collections that have sealed texts, in the order of the resealing. */
export const SEALED_IN = ['deliveries', 'feed'] as const;
export type SealedIn = (typeof SEALED_IN)[number];

/** A stored sealed text and its record. */
export interface SealedText {
  collection: SealedIn;
  id: string;
  /** The id to which the text is bound. */
  boundTo: string;
  /** The value of the collection's shard key. */
  shard: string;
  sealed: string;
}

export interface SealedPage {
  /** How many sealed texts the page's records have. */
  lookedAt: number;
  /** The sealed texts that are not sealed with the given key. */
  others: SealedText[];
  /** The last record of the page; undefined when there are no more pages. */
  last: string | undefined;
}

/** The field with the sealed text, the field with the id to which the text is bound, and the shard key. */
const FIELDS = {
  deliveries: { sealed: 'sealedBody', boundTo: '_id', shard: 'projectId' },
  feed: { sealed: 'data', boundTo: 'eventId', shard: 'ownerId' },
} as const satisfies Record<SealedIn, { sealed: string; boundTo: string; shard: string }>;

interface Row {
  _id: string;
  boundTo: string;
  shard: string;
  isSealed: boolean;
  sealed?: string;
}

// A body with a transcript can have a megabyte.
const PAGE_CHARACTERS = 8_000_000;
const BATCH = 50;

export function createSealedTexts(models: Pick<Models, SealedIn>) {
  return {
    /**
     * Reads the next `limit` records, by id, after the record `after`. Does not transfer the texts that are sealed with
     * the key `keyId`. The page ends early when it has PAGE_CHARACTERS.
     */
    async page(collection: SealedIn, after: string, limit: number, keyId: string): Promise<SealedPage> {
      const { sealed, boundTo, shard } = FIELDS[collection];
      const start = `${keyId}.`;
      const isCurrent = { $eq: [{ $substrBytes: [`$${sealed}`, 0, start.length] }, start] };
      const projection = {
        boundTo: `$${boundTo}`,
        shard: `$${shard}`,
        isSealed: { $ne: [{ $type: `$${sealed}` }, 'missing'] },
        sealed: { $cond: [isCurrent, '$$REMOVE', `$${sealed}`] },
      };
      const page: SealedPage = { lookedAt: 0, others: [], last: undefined };
      let records = 0;
      let characters = 0;
      const found = models[collection].collection.find({ _id: { $gt: after } } as object, {
        projection,
        ...{ sort: { _id: 1 }, limit, batchSize: BATCH },
      });
      for await (const row of found as unknown as AsyncIterable<Row>) {
        records += 1;
        characters += row.sealed?.length ?? 0;
        if (row.isSealed) page.lookedAt += 1;
        if (row.sealed) page.others.push(textOf(collection, row, row.sealed));
        if (records === limit || characters >= PAGE_CHARACTERS) {
          page.last = row._id;
          break;
        }
      }
      return page;
    },

    /** Returns the sealed texts of the first and of the last record, by id. */
    async ends(collection: SealedIn): Promise<SealedText[]> {
      const { sealed, boundTo, shard } = FIELDS[collection];
      const projection = { boundTo: `$${boundTo}`, shard: `$${shard}`, sealed: `$${sealed}` };
      const ends = ([1, -1] as const).map(_id =>
        models[collection].collection.findOne({}, { projection, sort: { _id } }),
      );
      const rows = (await Promise.all(ends)) as unknown as (Row | null)[];
      return rows.flatMap(row => (row?.sealed ? [textOf(collection, row, row.sealed)] : []));
    },

    /** Replaces each text that has not changed since the read. Returns the number of replaced texts. */
    async replace(changes: { text: SealedText; sealed: string }[]): Promise<number> {
      if (changes.length === 0) return 0;
      const { collection } = changes[0]!.text;
      const field = FIELDS[collection];
      const writes = changes.map(({ text, sealed }) => ({
        updateOne: {
          filter: { _id: text.id, [field.shard]: text.shard, [field.sealed]: text.sealed },
          update: { $set: { [field.sealed]: sealed } },
        },
      }));
      const { matchedCount } = await models[collection].collection.bulkWrite(writes as never, { ordered: false });
      return matchedCount;
    },
  };
}

const textOf = (collection: SealedIn, { _id: id, boundTo, shard }: Row, sealed: string): SealedText => ({
  ...{ collection, id, boundTo, shard, sealed },
});

export type SealedTexts = ReturnType<typeof createSealedTexts>;
