import { type Link, SHARED_POSITION } from '../domain/link.ts';
import { reservedFor } from '../domain/sandbox.ts';
import { projectUpdated } from '../messages.ts';
import type { ProjectDocument, UsesChange } from './documents.ts';
import type { Models } from './models.ts';
import type { ClientSession } from './transaction.ts';
import type { Users } from './users.ts';

/*
 * Changes the number of uses of a shared link together with the owner's reservation, without a transaction that
 * includes the link. With such a transaction, waiting claims would fill the connection pool, and the transaction would
 * then wait for a connection.
 *
 *  1. one transaction: reserve an increase, record the change in the project
 *  2. one write: the link accepts the change, or refuses it permanently; its `usesVersion` increases in both cases
 *  3. one transaction: return a decrease, set the project's number of uses, remove the record
 *
 * The version makes each step happen once. Any process that finds a record continues from it; after a crash, the
 * sweeper continues.
 */

type Transact = <T>(work: (session: ClientSession) => Promise<T>, signal?: AbortSignal) => Promise<T>;

const SWEEP_BATCH = 100;
const CHANGING = { ownerId: 1, usesChange: 1, 'settings.sandbox': 1 } as const;
type Changing = Pick<ProjectDocument, '_id' | 'ownerId'> & { settings: Pick<ProjectDocument['settings'], 'sandbox'> };

export function createSharedUses({ projects, links }: Models, users: Users, transact: Transact) {
  const sharedOf = (projectId: string) => ({ projectId, position: SHARED_POSITION });
  const recordIs = (projectId: string, version: number) => ({ _id: projectId, 'usesChange.version': version });

  async function record(project: Changing, change: UsesChange, signal?: AbortSignal) {
    const { _id, ownerId } = project;
    return await transact(async session => {
      const { from, to } = change;
      const { matchedCount } = await projects.updateOne(
        { _id, ownerId, usesChange: null, 'settings.sharedLinkMaxUses': from },
        { $set: { usesChange: change } },
        { session },
      );
      if (matchedCount === 1 && to > from) await users.reserve(ownerId, reservedFor(project, to - from), session);
      return matchedCount === 1;
    }, signal);
  }

  /** Step 2. Returns whether the link has the new number of uses. */
  async function decide(projectId: string, change: UsesChange): Promise<boolean> {
    const fits = { $lte: [{ $add: ['$claimed', '$landed'] }, change.to] };
    await links.collection.updateOne({ ...sharedOf(projectId), usesVersion: change.version - 1 }, [
      { $set: { usesVersion: change.version, maxUses: { $cond: [fits, change.to, '$maxUses'] } } },
    ]);
    const [link] = await links.collection
      .find(sharedOf(projectId), { readConcern: { level: 'local' }, projection: { maxUses: 1 } })
      .toArray();
    return link?.maxUses === change.to;
  }

  async function finish(project: Changing, change: UsesChange): Promise<boolean> {
    const { _id, ownerId } = project;
    const taken = await decide(_id, change);
    await transact(async session => {
      const { matchedCount } = await projects.updateOne(
        recordIs(_id, change.version),
        {
          $set: { usesChange: null, ...(taken ? { 'settings.sharedLinkMaxUses': change.to } : {}) },
          ...(taken ? { $push: { outbox: projectUpdated(project, ['sharedLinkMaxUses']) } } : {}),
        },
        { session },
      );
      const less = change.from - change.to;
      if (matchedCount === 1 && taken && less > 0) await users.reserve(ownerId, -reservedFor(project, less), session);
    });
    return taken;
  }

  return {
    /**
     * `taken`: the link has the new number of uses. `refused`: more than `to` uses are claimed or landed. `busy`:
     * another change was running and is now finished; retry. Fails with `forbidden` if the allowance has no room.
     */
    async change(link: Link & { usesVersion: number }, to: number, signal?: AbortSignal) {
      const project = await projects
        .findOne({ _id: link.projectId, ownerId: link.ownerId }, CHANGING)
        .lean<ProjectDocument>();
      if (!project) return 'busy';
      if (project.usesChange) {
        await finish(project, project.usesChange);
        return 'busy';
      }
      if (link.maxUses === to) return 'taken';
      const change = { from: link.maxUses, to, version: link.usesVersion + 1 };
      if (!(await record(project, change, signal))) return 'busy';
      return (await finish(project, change)) ? 'taken' : 'refused';
    },

    /** Finishes changes of uses that crashes interrupted. */
    async sweep(): Promise<void> {
      const left = await projects
        .find({ 'usesChange.version': { $gt: 0 } }, CHANGING)
        .limit(SWEEP_BATCH)
        .lean<ProjectDocument[]>();
      const results = await Promise.allSettled(left.map(project => finish(project, project.usesChange!)));
      const errors = results.filter(result => result.status === 'rejected').map(result => result.reason);
      if (errors.length > 0) throw new AggregateError(errors, 'Some changes of uses are left to the next sweep');
    },
  };
}
