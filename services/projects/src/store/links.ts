import { type Link, type LinkState, SHARED_POSITION } from '../domain/link.ts';
import type { LinkSums } from '../domain/link-stats.ts';
import type { Models } from './models.ts';
import type { ClientSession } from './transaction.ts';

const PLAIN = { hash: 0, applied: 0, usesVersion: 0 } as const;

export interface LinkPage {
  ownerId: string;
  projectId: string;
  state: LinkState | undefined;
  /** Whether the project's links have expired: a link has no expiry of its own. */
  expired: boolean;
  after: number;
}

const USED_UP = { $gte: ['$landed', '$maxUses'] };

/** `linkState` as a query. */
function stateQuery(state: LinkState | undefined, expired: boolean): object {
  switch (state) {
    case undefined:
      return {};
    case 'disabled':
      return { disabled: true };
    case 'exhausted':
      return { disabled: false, $expr: USED_UP };
    default:
      if ((state === 'expired') !== expired) return { _id: { $in: [] } };
      return { disabled: false, $expr: { $not: [USED_UP] } };
  }
}

const REMAINING = { $subtract: ['$maxUses', { $add: ['$claimed', '$landed'] }] };
const SUMS = {
  links: { $sum: 1 },
  capacity: { $sum: '$maxUses' },
  used: { $sum: { $add: ['$claimed', '$landed'] } },
  open: { $sum: { $cond: ['$disabled', 0, REMAINING] } },
};

export function createLinks({ links }: Pick<Models, 'links'>) {
  return {
    /** `hash`: SHA-256 of the link's token. */
    async insertMany(list: { link: Link; hash: Buffer }[], session: ClientSession): Promise<void> {
      const documents = list.map(({ link, hash }) => ({ ...link, hash, applied: [], usesVersion: 0 }));
      await links.collection.insertMany(documents as never, { session });
    },

    async find(linkId: string): Promise<Link | null> {
      return await links.findById(linkId, PLAIN).lean<Link>();
    },

    async findByHash(hash: Buffer): Promise<Link | null> {
      return await links.findOne({ hash }, PLAIN).lean<Link>();
    },

    async findShared(ownerId: string, projectId: string): Promise<Link | null> {
      return await links.findOne({ projectId, position: SHARED_POSITION, ownerId }, PLAIN).lean<Link>();
    },

    /** The shared link with the version that a change of its uses needs. */
    async findSharedVersion(ownerId: string, projectId: string): Promise<(Link & { usesVersion: number }) | null> {
      return await links
        .findOne({ projectId, position: SHARED_POSITION, ownerId }, { hash: 0, applied: 0 })
        .lean<Link & { usesVersion: number }>();
    },

    /** All of a project, the shared one first, then in the order of their making. */
    async listOf(ownerId: string, projectId: string): Promise<Link[]> {
      return await links.find({ projectId, ownerId }, PLAIN).sort({ position: 1 }).lean<Link[]>();
    },

    /** Some of a project's unique links in the order of their making, behind `after` (a position), in one state where given. */
    async pageOf({ ownerId, projectId, state, expired, after }: LinkPage, limit: number): Promise<Link[]> {
      const filter = { projectId, position: { $gt: after }, ownerId, ...stateQuery(state, expired) };
      return await links.find(filter, PLAIN).sort({ position: 1 }).limit(limit).lean<Link[]>();
    },

    async setDisabled(ownerId: string, projectId: string, linkId: string, disabled: boolean): Promise<Link | null> {
      return await links
        .findOneAndUpdate(
          { _id: linkId, projectId, ownerId },
          { $set: { disabled } },
          { returnDocument: 'after', projection: PLAIN },
        )
        .lean<Link>();
    },

    /** Remembers the first opening. False for an unknown link. */
    async setOpened(linkId: string, now: Date): Promise<boolean> {
      const { matchedCount } = await links.updateOne({ _id: linkId, openedAt: null }, { $set: { openedAt: now } });
      return matchedCount === 1 || (await links.exists({ _id: linkId })) !== null;
    },

    /** The sums over the links of many projects, by project id and type. */
    async sums(ownerId: string, projectIds: string[]): Promise<Map<string, { unique?: LinkSums; shared?: LinkSums }>> {
      const [unique, shared] = await Promise.all([
        links.aggregate<LinkSums & { _id: string }>([
          { $match: { ownerId, projectId: { $in: projectIds }, type: 'unique' } },
          { $group: { _id: '$projectId', ...SUMS } },
        ]),
        links.aggregate<LinkSums & { _id: string }>([
          { $match: { projectId: { $in: projectIds }, position: SHARED_POSITION, ownerId } },
          { $group: { _id: '$projectId', ...SUMS } },
        ]),
      ]);
      const byProject = new Map<string, { unique?: LinkSums; shared?: LinkSums }>();
      for (const row of unique) byProject.set(row._id, { unique: row });
      for (const row of shared) byProject.set(row._id, { ...byProject.get(row._id), shared: row });
      return byProject;
    },
  };
}
