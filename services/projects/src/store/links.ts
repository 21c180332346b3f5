import type { OutboxEntry } from '@recording-request/events/outbox';
import { createStampCache, type Stamp } from '@recording-request/kit/stamp-cache';
import type { PipelineStage } from 'mongoose';
import { type Link, type LinkChange, SHARED_POSITION } from '../domain/link.ts';
import type { LinkSums, ProjectSums } from '../domain/link-stats.ts';
import type { Hashes } from './hashes.ts';
import type { Models } from './models.ts';
import type { ClientSession } from './transaction.ts';

export const PLAIN_LINK = { hash: 0, applied: 0, usesVersion: 0, opened: 0, complete: 0, outbox: 0 } as const;

/** Identifies a link: the project selects its shard. */
export interface LinkKey {
  linkId: string;
  projectId: string;
}

export const linkAt = ({ linkId, projectId }: LinkKey) => ({ _id: linkId, projectId });

const REMAINING = { $subtract: ['$maxUses', { $add: ['$claimed', '$landed'] }] };
const SUMS = {
  links: { $sum: 1 },
  capacity: { $sum: '$maxUses' },
  used: { $sum: { $add: ['$claimed', '$landed'] } },
  open: { $sum: { $cond: ['$disabled', 0, REMAINING] } },
};

const SUMMED = { _id: 0, projectId: 1, maxUses: 1, claimed: 1, landed: 1, disabled: 1 } as const;

type Summed = Pick<Link, 'projectId' | 'maxUses' | 'claimed' | 'landed' | 'disabled'>;

function sumsOfOne({ maxUses: capacity, claimed, landed, disabled }: Summed): LinkSums {
  const used = claimed + landed;
  return { links: 1, capacity, used, open: disabled ? 0 : capacity - used };
}

interface Newest {
  changedAt: Date | null;
  now: Date;
}

/**
 * Two links that a query for a project reads at the same time: the unique link that changed last, and the shared link.
 */
export interface LinkHeads {
  newest: Newest[];
  shared: Summed[];
}

/** Returns the aggregation stages that add `LinkHeads` to one project. */
export const linkHeads = (ownerId: string, projectId: string): PipelineStage[] => [
  {
    $lookup: {
      from: 'links',
      as: 'newest',
      pipeline: [
        { $match: { type: 'unique', ownerId, projectId } },
        { $sort: { changedAt: -1 } },
        { $limit: 1 },
        { $project: { _id: 0, changedAt: 1, now: '$$NOW' } },
      ],
    },
  },
  {
    $lookup: {
      from: 'links',
      as: 'shared',
      pipeline: [{ $match: { projectId, position: SHARED_POSITION, ownerId } }, { $project: SUMMED }],
    },
  },
];

const stampFrom = ({ changedAt, now }: Newest): Stamp => {
  const ms = changedAt?.getTime() ?? 0;
  return { text: String(ms), restedMs: now.getTime() - ms };
};

/** The fields of a new link that only the store uses. */
const NEW = { applied: [], usesVersion: 0, opened: false, complete: false };

export function createLinks({ links }: Pick<Models, 'links'>, hashes: Hashes) {
  const uniqueSums = createStampCache<LinkSums>();

  const newestFirst = { type: 1, ownerId: 1, projectId: 1, changedAt: -1 } as const;

  /**
   * Returns when a unique link of each project last changed. Reads one index entry per project, however many links it
   * has.
   */
  async function stampsOf(ownerId: string, projectIds: string[]): Promise<Map<string, Stamp>> {
    const rows = await links.aggregate<Newest & { _id: string }>([
      { $match: { type: 'unique', ownerId, projectId: { $in: projectIds } } },
      { $sort: newestFirst },
      { $group: { _id: '$projectId', changedAt: { $first: '$changedAt' } } },
      { $addFields: { now: '$$NOW' } },
    ]);
    return new Map(rows.map(row => [row._id, stampFrom(row)]));
  }

  /** Returns the sums of each project's shared link. */
  async function sumShared(ownerId: string, projectIds: string[]): Promise<Map<string, LinkSums>> {
    const rows = await links
      .find({ projectId: { $in: projectIds }, position: SHARED_POSITION, ownerId }, SUMMED)
      .lean<Summed[]>();
    return new Map(rows.map(row => [row.projectId, sumsOfOne(row)]));
  }

  async function sumUnique(ownerId: string, projectIds: string[]): Promise<Map<string, LinkSums>> {
    const rows = await links.aggregate<LinkSums & { _id: string }>([
      { $match: { ownerId, projectId: { $in: projectIds }, type: 'unique' } },
      { $group: { _id: '$projectId', ...SUMS } },
    ]);
    return new Map(rows.map(row => [row._id, row]));
  }

  return {
    /** `hash`: SHA-256 of the link's token. */
    async insertMany(list: { link: Link; hash: Buffer }[], session: ClientSession): Promise<void> {
      const documents = list.map(({ link, hash }) => ({ ...link, hash, ...NEW }));
      await links.collection.insertMany(documents as never, { session });
      const entries = list.map(
        ({ link: { _id: id, projectId }, hash }) => ({ hash, kind: 'link', id, projectId }) as const,
      );
      await hashes.insertMany(entries, session);
    },

    async find(key: LinkKey): Promise<Link | null> {
      return await links.findOne(linkAt(key), PLAIN_LINK).lean<Link>();
    },

    async findShared(ownerId: string, projectId: string): Promise<Link | null> {
      return await links.findOne({ projectId, position: SHARED_POSITION, ownerId }, PLAIN_LINK).lean<Link>();
    },

    /** Returns the shared link with the version that a change of its uses needs. */
    async findSharedVersion(ownerId: string, projectId: string): Promise<(Link & { usesVersion: number }) | null> {
      return await links
        .findOne(
          { projectId, position: SHARED_POSITION, ownerId },
          { hash: 0, applied: 0, opened: 0, complete: 0, outbox: 0 },
        )
        .lean<Link & { usesVersion: number }>();
    },

    /** Disables a link that is not disabled, and adds the event of this change. Changes no other link. */
    async disable(
      { ownerId, ...key }: LinkKey & Pick<Link, 'ownerId'>,
      event: OutboxEntry,
      session?: ClientSession,
    ): Promise<void> {
      await links.updateOne(
        { ...linkAt(key), ownerId, disabled: false },
        { $set: { disabled: true }, $currentDate: { changedAt: true }, $push: { outbox: event } },
        session ? { session } : {},
      );
    },

    /**
     * Disables or enables links, and adds the event of each link that it disables. Returns the links as they were before,
     * without unknown ones; erased links stay as they are.
     */
    async setDisabled(
      {
        ownerId,
        projectId,
        linkIds,
        disabled,
      }: Pick<Link, 'ownerId' | 'projectId' | 'disabled'> & { linkIds: string[] },
      eventOf: (link: Link) => OutboxEntry,
      session: ClientSession,
    ): Promise<Link[]> {
      const asked = { _id: { $in: linkIds }, projectId, ownerId };
      const found = await links.find(asked, PLAIN_LINK).session(session).lean<Link[]>();
      const changing = found.filter(link => !link.erasedAt && link.disabled !== disabled);
      const updates = changing.map(link => ({
        updateOne: {
          filter: { ...linkAt({ linkId: link._id, projectId }), ownerId },
          update: {
            $set: { disabled },
            $currentDate: { changedAt: true },
            ...(disabled && { $push: { outbox: eventOf(link) } }),
          },
        },
      }));
      if (updates.length > 0) await links.collection.bulkWrite(updates as never, { session });
      return found;
    },

    /**
     * Updates a link. Undefined fields stay unchanged: Mongoose omits them. Returns null for an unknown or an erased link.
     */
    async update({ ownerId, ...key }: LinkKey & Pick<Link, 'ownerId'>, change: LinkChange): Promise<Link | null> {
      return await links
        .findOneAndUpdate(
          { ...linkAt(key), ownerId, erasedAt: null },
          { $set: change, $currentDate: { changedAt: true } },
          { returnDocument: 'after', projection: PLAIN_LINK },
        )
        .lean<Link>();
    },

    /** Stores the first opening. Returns false for an unknown link. */
    async setOpened(key: LinkKey, now: Date): Promise<boolean> {
      const { matchedCount } = await links.updateOne(
        { ...linkAt(key), openedAt: null, erasedAt: null },
        { $set: { openedAt: now, opened: true }, $currentDate: { changedAt: true } },
      );
      return matchedCount === 1 || (await links.exists(linkAt(key))) !== null;
    },

    /**
     * Returns the sums of many projects' links, by project id. Caches the sums of unique links until one of these links
     * changes.
     */
    async sums(ownerId: string, projectIds: string[]): Promise<Map<string, ProjectSums>> {
      const [stamps, shared] = await Promise.all([stampsOf(ownerId, projectIds), sumShared(ownerId, projectIds)]);
      const unique = await uniqueSums.get([...stamps.keys()], stamps, ids => sumUnique(ownerId, ids));
      const byProject = new Map<string, ProjectSums>();
      for (const [id, sums] of unique) byProject.set(id, { unique: sums });
      for (const [id, sums] of shared) byProject.set(id, { ...byProject.get(id), shared: sums });
      return byProject;
    },

    /**
     * Does the same for one project, from `LinkHeads` that the caller just read. Queries the database only if a unique
     * link has changed.
     */
    async sumsFrom(ownerId: string, projectId: string, { newest, shared }: LinkHeads): Promise<ProjectSums> {
      const stamps = new Map(newest.map(each => [projectId, stampFrom(each)]));
      const unique = await uniqueSums.get([...stamps.keys()], stamps, ids => sumUnique(ownerId, ids));
      return { unique: unique.get(projectId), shared: shared[0] && sumsOfOne(shared[0]) };
    },
  };
}
