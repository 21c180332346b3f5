import { reservedFor } from '../domain/sandbox.ts';
import type { ApiTokens } from './api-tokens.ts';
import type { Erasure, LinkDocument, ProjectDocument } from './documents.ts';
import type { Hashes } from './hashes.ts';
import type { Models } from './models.ts';
import type { ClientSession } from './transaction.ts';
import type { Users } from './users.ts';

/*
 * Erases a project, or a user's records outside projects. One transaction writes the tombstone, ends the project and
 * returns its unused videos to the allowance; after it, nothing can begin in the project. Then the caller removes links
 * and responses in batches; it may stop at any line and repeat the work. A claim that was already running may insert
 * its response later: it finds no link and undoes itself. If a crash prevents that, the sweeper finds the response by
 * the tombstone.
 */

export interface ProjectTally {
  links: number;
  /** Links with a person or metadata. */
  people: number;
  responses: number;
  rememberedAnswers: number;
  videosReleased: number;
}

type Transact = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;

const BATCH = 200;
const SWEEP_BATCH = 20;
// Longer than any request can run.
const AGAIN_MS = 3_600_000;

/**
 * Returns a filter for every response of some links. A response's key begins with the link's id and a colon; the filter
 * ends at a semicolon, which sorts directly after the colon.
 */
const responsesOf = (list: LinkRow[]) => ({
  linkId: { $in: list.map(({ _id }) => _id) },
  $or: list.map(({ _id }) => ({ _id: { $gte: `${_id}:`, $lt: `${_id};` } })),
});

type LinkRow = Pick<LinkDocument, '_id' | 'hash' | 'position' | 'sealedInvitation'>;

const peopleOf = (list: LinkRow[]): number => list.filter(link => link.sealedInvitation !== undefined).length;

interface Beside {
  users: Users;
  tokens: ApiTokens;
  hashes: Hashes;
}

export function createErasures(models: Models, { users, tokens, hashes }: Beside, transact: Transact) {
  const { projects, links, responses, idempotency, erasures } = models;

  /**
   * Yields a project's links in batches, in the order of the index. The caller may delete the links of a batch before
   * it takes the next one.
   */
  async function* linksOf(projectId: string): AsyncGenerator<LinkRow[]> {
    for (let after = -1; ; ) {
      const page = links.find({ projectId, position: { $gt: after } }, { position: 1, hash: 1, sealedInvitation: 1 });
      const rows = await page.sort({ position: 1 }).limit(BATCH).lean<LinkRow[]>();
      const last = rows.at(-1);
      if (!last) return;
      yield rows;
      after = last.position;
    }
  }

  /** Returns the number of reserved videos that a project will never use. Landed videos stay reserved. */
  async function unused(project: ProjectDocument, session?: ClientSession): Promise<number> {
    const sums = links.aggregate<{ unique: number; landed: number }>([
      { $match: { projectId: project._id } },
      {
        $group: {
          _id: null,
          unique: { $sum: { $cond: [{ $eq: ['$type', 'unique'] }, 1, 0] } },
          landed: { $sum: { $add: ['$landed', { $ifNull: ['$spent', 0] }] } },
        },
      },
    ]);
    const [{ unique, landed } = { unique: 0, landed: 0 }] = await (session ? sums.session(session) : sums);
    // While the number of uses is being changed, an increase is already reserved and a decrease is not yet returned.
    const shared = Math.max(project.settings.sharedLinkMaxUses, project.usesChange?.to ?? 0);
    return reservedFor(project, Math.max(0, unique + shared - landed));
  }

  async function removeProject({ _id, ownerId }: Pick<Erasure, '_id' | 'ownerId'>) {
    await links.updateMany({ projectId: _id }, { $set: { disabled: true } });
    const tally = { links: 0, people: 0, responses: 0, rememberedAnswers: 0 };
    for await (const some of linksOf(_id)) {
      tally.responses += (await responses.deleteMany(responsesOf(some))).deletedCount;
      await hashes.remove(some.map(({ hash }) => hash));
      const ids = some.map(link => link._id);
      tally.people += peopleOf(some);
      tally.links += (await links.deleteMany({ _id: { $in: ids }, projectId: _id })).deletedCount;
    }
    await hashes.removeCodes(_id);
    tally.rememberedAnswers = (await idempotency.deleteMany({ userId: ownerId, projectId: _id })).deletedCount;
    return tally;
  }

  async function removeUserRecords(userId: string): Promise<void> {
    await tokens.removeAll(userId);
    await idempotency.deleteMany({ userId });
    await users.remove(userId);
  }

  return {
    async find(kind: Erasure['kind'], id: string): Promise<Erasure | null> {
      return await erasures.findOne({ _id: id, kind }).lean<Erasure>();
    },

    /**
     * Returns the counts of the records that a project's erasure would remove; null for an unknown project. If the
     * project is already gone, finds its remaining records only if the caller passes the `owner`.
     */
    async tallyProject(projectId: string, owner?: string): Promise<ProjectTally | null> {
      const project = await projects.findById(projectId).lean<ProjectDocument>();
      const userId = project?.ownerId ?? owner;
      if (userId === undefined) return null;
      const tally = { links: 0, people: 0, responses: 0 };
      for await (const some of linksOf(projectId)) {
        tally.links += some.length;
        tally.people += peopleOf(some);
        tally.responses += await responses.countDocuments(responsesOf(some));
      }
      const rememberedAnswers = await idempotency.countDocuments({ userId, projectId });
      return { ...tally, rememberedAnswers, videosReleased: project ? await unused(project) : 0 };
    },

    /** Ends the project. Returns how many videos were returned to the allowance; null for an unknown project. */
    async closeProject(projectId: string, now: Date): Promise<number | null> {
      return await transact(async session => {
        const project = await projects.findOneAndDelete({ _id: projectId }, { session }).lean<ProjectDocument>();
        if (!project) return null;
        const { ownerId } = project;
        await hashes.remove([project.dashboardHash], session);
        const tombstone: Erasure = {
          _id: projectId,
          kind: 'project',
          ownerId,
          at: now,
          againAt: new Date(now.getTime() + AGAIN_MS),
        };
        await erasures.collection.insertOne(tombstone as never, { session });
        const released = await unused(project, session);
        if (released > 0) await users.reserve(ownerId, -released, session);
        return released;
      });
    },

    removeProject,
    removeUserRecords,

    /** Removes a user who has no projects, and writes the user's tombstone. */
    async removeUser(userId: string, now: Date): Promise<void> {
      await erasures.updateOne(
        { _id: userId },
        { $setOnInsert: { kind: 'user', ownerId: userId, at: now, againAt: new Date(now.getTime() + AGAIN_MS) } },
        { upsert: true },
      );
      await removeUserRecords(userId);
    },

    /** Returns one batch of erasures whose late records are due for removal. */
    async due(now: Date): Promise<Erasure[]> {
      return await erasures
        .find({ againAt: { $type: 'date', $lte: now } })
        .limit(SWEEP_BATCH)
        .lean<Erasure[]>();
    },

    /** Ends an erasure: its late records are not removed again. */
    async settle(id: string): Promise<void> {
      await erasures.updateOne({ _id: id }, { $set: { againAt: null } });
    },
  };
}

export type Erasures = ReturnType<typeof createErasures>;
