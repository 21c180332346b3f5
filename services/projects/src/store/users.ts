import { LIMITS } from '@recording-request/contract/limits';
import type { Settings } from '@recording-request/contract/project-settings';
import { tooManySandboxes } from '../domain/sandbox.ts';
import { allowanceExceeded, noSuchUser, remainingVideos, type User } from '../domain/user.ts';
import type { Models } from './models.ts';
import type { ClientSession } from './transaction.ts';

export function createUsers({ users }: Pick<Models, 'users'>) {
  return {
    async insert(user: User): Promise<void> {
      await users.collection.insertOne(user as never);
    },

    async find(userId: string): Promise<User | null> {
      return await users.findById(userId).lean<User>();
    },

    /** Returns users in order of creation; `after` is the last id of the previous page, or ''. */
    async list(after: string, size: number): Promise<User[]> {
      return await users
        .find({ _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(size)
        .lean<User[]>();
    },

    async setLimit(userId: string, videoLimit: number | null): Promise<User | null> {
      return await users
        .findOneAndUpdate({ _id: userId }, { $set: { videoLimit } }, { returnDocument: 'after' })
        .lean<User>();
    },

    async rename(userId: string, name: string): Promise<User | null> {
      return await users
        .findOneAndUpdate({ _id: userId }, { $set: { name } }, { returnDocument: 'after' })
        .lean<User>();
    },

    async setBrand(userId: string, brand: Settings['brand']): Promise<User | null> {
      return await users
        .findOneAndUpdate({ _id: userId }, { $set: { brand } }, { returnDocument: 'after' })
        .lean<User>();
    },

    /** Disables a user from `now` on, unless the user is already disabled; null enables the user. */
    async setDisabled(userId: string, now: Date | null): Promise<User | null> {
      const change = now ? { $set: { disabledAt: { $ifNull: ['$disabledAt', now] } } } : { $unset: 'disabledAt' };
      return await users
        .findOneAndUpdate({ _id: userId }, [change] as never, { returnDocument: 'after', updatePipeline: true })
        .lean<User>();
    },

    async isDisabled(userId: string): Promise<boolean> {
      return (await users.exists({ _id: userId, disabledAt: { $type: 'date' } })) !== null;
    },

    /**
     * Marks the user as being erased: nothing can be created for the user afterwards. Returns false for an unknown
     * user.
     */
    async close(userId: string, now: Date): Promise<boolean> {
      const first = { $set: { closedAt: { $ifNull: ['$closedAt', now] } } };
      const { matchedCount } = await users.updateOne({ _id: userId }, [first], { updatePipeline: true });
      return matchedCount === 1;
    },

    async remove(userId: string): Promise<void> {
      await users.deleteOne({ _id: userId });
    },

    /**
     * Records a new sandbox of the user, which ends at `endsAt`, in one conditional update. Fails with `not_found` for
     * an unknown user, and with `forbidden` if the user already has LIMITS.sandboxes sandboxes that have not ended.
     */
    async addSandbox(
      userId: string,
      { now, endsAt }: { now: Date; endsAt: Date },
      session: ClientSession,
    ): Promise<User> {
      const living = { $filter: { input: { $ifNull: ['$sandboxes', []] }, cond: { $gt: ['$$this', now] } } };
      const user = await users
        .findOneAndUpdate(
          { _id: userId, closedAt: null, $expr: { $lt: [{ $size: living }, LIMITS.sandboxes] } },
          [{ $set: { sandboxes: { $concatArrays: [living, [endsAt]] } } }] as never,
          { returnDocument: 'after', session, updatePipeline: true },
        )
        .lean<User>();
      if (user) return user;
      const known = await users.findById(userId).session(session).lean<User>();
      if (!known || known.closedAt) throw noSuchUser();
      throw tooManySandboxes(known.sandboxes!.filter(end => end > now).sort((a, b) => a.getTime() - b.getTime())[0]!);
    },

    /**
     * Reserves `videos` if the allowance has room, in one conditional update; a negative number returns videos. Fails
     * with `not_found` for an unknown user, and with `forbidden` when there is no room; the error names the requested
     * and the remaining number.
     */
    async reserve(userId: string, videos: number, session: ClientSession): Promise<User> {
      const room = { $lte: [{ $add: ['$videosReserved', videos] }, '$videoLimit'] };
      const withinLimit = videos > 0 ? { closedAt: null, $expr: { $or: [{ $eq: ['$videoLimit', null] }, room] } } : {};
      const user = await users
        .findOneAndUpdate(
          { _id: userId, ...withinLimit },
          { $inc: { videosReserved: videos } },
          { returnDocument: 'after', session },
        )
        .lean<User>();
      if (user) return user;
      const now = await users.findById(userId).session(session).lean<User>();
      if (!now || (now.closedAt && videos > 0)) throw noSuchUser();
      throw allowanceExceeded(videos, remainingVideos(now) ?? 0);
    },
  };
}

export type Users = ReturnType<typeof createUsers>;
