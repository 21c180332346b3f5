import type { Models } from './models.ts';
import { linkOf } from './responses.ts';

/** The collections that have sealed texts, in the order of the resealing. */
export const SEALED_IN = ['projects', 'links', 'responses', 'idempotency'] as const;
export type SealedIn = (typeof SEALED_IN)[number];

/** A stored sealed text and its field's path. */
export type SealedText = { id: string; sealed: string; projectId?: string } & (
  | { path: 'webhook.secret' | 'webhook.former.secret' | 'sealedToken' }
  | { path: 'sealedInvitation' | 'sealedReference'; projectId: string }
  | { path: 'answer'; userId: string; key: string }
);

export interface SealedPage {
  texts: SealedText[];
  /** The last record of the page; undefined when there are no more pages. */
  last: string | undefined;
}

export interface Resealed {
  text: SealedText;
  sealed: string;
  /** The new digest of the person in the text. */
  personKey?: string | undefined;
}

const FIELDS = {
  projects: { 'webhook.secret': 1, 'webhook.former.secret': 1 },
  links: { sealedToken: 1, sealedInvitation: 1, projectId: 1 },
  responses: { sealedReference: 1, projectId: 1 },
  idempotency: { answer: 1, userId: 1, key: 1 },
} as const;

interface Row {
  _id: string;
  webhook?: { secret?: string; former?: { secret: string } | null };
  sealedToken?: string;
  sealedInvitation?: string;
  sealedReference?: string;
  answer?: string;
  projectId?: string;
  userId?: string;
  key?: string;
}

export function createSealedTexts(models: Pick<Models, SealedIn>) {
  return {
    /** Returns the sealed texts of the next `limit` records, by id, after the record `after`. */
    async page(collection: SealedIn, after: string, limit: number): Promise<SealedPage> {
      const found = models[collection].collection.find({ _id: { $gt: after } } as object, {
        projection: FIELDS[collection],
        sort: { _id: 1 },
        limit,
      });
      const rows = (await found.toArray()) as unknown as Row[];
      return { texts: rows.flatMap(textsOf), last: rows.length < limit ? undefined : rows.at(-1)!._id };
    },

    /** Returns the sealed texts of the first and of the last record, by id. */
    async ends(collection: SealedIn): Promise<SealedText[]> {
      const projection = FIELDS[collection];
      const ends = ([1, -1] as const).map(_id =>
        models[collection].collection.findOne({}, { projection, sort: { _id } }),
      );
      const rows = (await Promise.all(ends)) as unknown as (Row | null)[];
      return rows.flatMap(row => (row ? textsOf(row) : []));
    },

    /** Replaces each text that has not changed since the read. Returns the number of replaced texts. */
    async replace(collection: SealedIn, changes: Resealed[]): Promise<number> {
      if (changes.length === 0) return 0;
      const writes = changes.map(({ text, sealed, personKey }) => ({
        updateOne: {
          filter: { _id: text.id, ...shardOf(text), [text.path]: text.sealed },
          update: { $set: { [text.path]: sealed, ...(personKey === undefined ? {} : { personKey }) } },
        },
      }));
      const { matchedCount } = await models[collection].collection.bulkWrite(writes as never, { ordered: false });
      return matchedCount;
    },
  };
}

function shardOf(text: SealedText): object {
  if (text.path === 'sealedToken' || text.path === 'sealedInvitation') return { projectId: text.projectId };
  if (text.path === 'sealedReference') return { linkId: linkOf(text.id) };
  return text.path === 'answer' ? { userId: text.userId, key: text.key } : {};
}

function textsOf(row: Row): SealedText[] {
  const { _id: id, webhook, sealedToken, sealedInvitation, sealedReference, answer } = row;
  const { projectId = '', userId = '', key = '' } = row;
  const texts: SealedText[] = [];
  if (webhook?.secret) texts.push({ id, path: 'webhook.secret', sealed: webhook.secret });
  if (webhook?.former?.secret) texts.push({ id, path: 'webhook.former.secret', sealed: webhook.former.secret });
  if (sealedToken) texts.push({ id, path: 'sealedToken', sealed: sealedToken, projectId });
  if (sealedInvitation) texts.push({ id, path: 'sealedInvitation', sealed: sealedInvitation, projectId });
  if (sealedReference) texts.push({ id, path: 'sealedReference', sealed: sealedReference, projectId });
  if (answer) texts.push({ id, path: 'answer', sealed: answer, userId, key });
  return texts;
}
