import { type Link, type LinkState, linkState, NO_END, SHARED_POSITION, UNIQUE_USES } from '../domain/link.ts';
import { type PersonState, personState } from '../domain/person-state.ts';
import { PLAIN_LINK } from './links.ts';
import type { Models } from './models.ts';

export interface LinkFilter {
  state?: LinkState | undefined;
  personState?: PersonState | undefined;
  /** Selects links with (true) or without (false) a complete response. */
  complete?: boolean | undefined;
  /** Selects the links of a person, by the person's digests: one for each key of the ring. */
  personKeys?: string[] | undefined;
  /** Selects the links that changed after this time. */
  changedAfter?: Date | undefined;
}

export interface LinkPage {
  ownerId: string;
  projectId: string;
  filter: LinkFilter;
  /** True if the project has expired or is closed: links have no expiry of their own. */
  expired: boolean;
  /**
   * The page begins after this position. Unique links count from SHARED_POSITION + 1; a smaller value also includes the
   * shared link.
   */
  after: number;
}

/**
 * The maximum length of the sealed invitations in a page of several links. With this limit, the JSON of a page is
 * shorter than the memory that the gateway reserves for it: 512 KiB.
 */
const PAGE_BYTES = 224 * 1024;
// If more links than this have changed, the query reads the project's links in order and skips those without a change.
const CHANGED_MAX = 500;
const POSITIONS = { projectId: 1, position: 1 } as const;

const FLAGS = [false, true];
const USES = [
  { claimed: 0, landed: 0, complete: false },
  { claimed: UNIQUE_USES, landed: 0, complete: false },
  { claimed: 0, landed: UNIQUE_USES, complete: false },
  { claimed: 0, landed: UNIQUE_USES, complete: true },
];
/** Every combination of the fields that decide the state of a unique link. */
const COMBINATIONS = FLAGS.flatMap(disabled =>
  USES.flatMap(use =>
    FLAGS.map(opened => ({ type: 'unique', disabled, maxUses: UNIQUE_USES, ...use, opened }) as const),
  ),
);
type Combination = (typeof COMBINATIONS)[number];

/**
 * Returns the combinations that a filter selects; undefined for all. Each combination is a single range of the index
 * `unique_links`, in order of the positions, so a page reads only the links that it returns.
 */
function selected({ state, personState: person, complete }: LinkFilter, expired: boolean): Combination[] | undefined {
  if (state === undefined && person === undefined && complete === undefined) return undefined;
  const now = new Date(0);
  const term = expired ? { expiresAt: now } : NO_END;
  const dateIf = (flag: boolean) => (flag ? now : null);
  return COMBINATIONS.filter(
    each =>
      (complete === undefined || each.complete === complete) &&
      (state === undefined || linkState(each, term, now) === state) &&
      (person === undefined ||
        personState({ ...each, openedAt: dateIf(each.opened), completedAt: dateIf(each.complete) }, expired) ===
          person),
  );
}

export function createLinkPages({ links }: Pick<Models, 'links'>) {
  /** Returns the positions of the links that changed after `since`; undefined when there are too many. */
  async function changedSince({ ownerId, projectId }: LinkPage, since: Date): Promise<number[] | undefined> {
    const rows = await links
      .find({ type: 'unique', ownerId, projectId, changedAt: { $gt: since } }, { _id: 0, position: 1 })
      .hint('unique_link_changes')
      .limit(CHANGED_MAX + 1)
      .lean<Pick<Link, 'position'>[]>();
    return rows.length > CHANGED_MAX ? undefined : rows.map(({ position }) => position);
  }

  /** Returns the query of a page and its index; undefined for an empty page. */
  async function queryOf(page: LinkPage): Promise<{ query: object; index: string | object } | undefined> {
    const { ownerId, projectId, filter, expired, after } = page;
    const { personKeys, changedAfter } = filter;
    const chosen = selected(filter, expired);
    if (chosen?.length === 0) return undefined;
    const query = { projectId, ownerId, position: { $gt: after } };
    if (personKeys === undefined && changedAfter === undefined) {
      if (!chosen) return { query, index: POSITIONS };
      // `projectId` is outside `$or`, because it selects the shard. All other conditions are inside, so that each
      // alternative is one range of the index.
      return { query: { projectId, $or: chosen.map(each => ({ ...query, ...each })) }, index: 'unique_links' };
    }
    const changed = changedAfter && (await changedSince(page, changedAfter));
    const conditions = {
      ...query,
      ...(changedAfter && { changedAt: { $gt: changedAfter } }),
      ...(changed && { position: { $in: changed.filter(position => position > after) } }),
      ...(personKeys && { personKey: { $in: personKeys } }),
      ...(chosen && { $or: chosen }),
      type: 'unique',
    };
    return { query: conditions, index: personKeys ? 'people' : POSITIONS };
  }

  return {
    /**
     * Returns some of a project's links in order of creation, after the position `after`, and whether more follow. A
     * page ends early after PAGE_BYTES of invitations.
     */
    async page(page: LinkPage, limit: number): Promise<{ links: Link[]; more: boolean }> {
      const found = await queryOf(page);
      if (!found) return { links: [], more: false };
      const rows = links
        .find(found.query, PLAIN_LINK)
        .hint(found.index as never)
        .sort({ position: 1 })
        // One additional row, to find out whether another page follows.
        .limit(limit + 1)
        .lean<Link[]>()
        .cursor({ batchSize: limit + 1 });
      const list: Link[] = [];
      let bytes = 0;
      for await (const row of rows as AsyncIterable<Link>) {
        bytes += row.sealedInvitation?.length ?? 0;
        if (list.length >= limit || (list.length > 0 && bytes > PAGE_BYTES)) {
          await rows.close();
          return { links: list, more: true };
        }
        list.push(row);
      }
      return { links: list, more: false };
    },
  };
}

export const BEFORE_SHARED = SHARED_POSITION - 1;
