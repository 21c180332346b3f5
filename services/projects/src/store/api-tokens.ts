import { type ApiToken, LAST_USE_STEP_MS } from '../domain/user.ts';
import type { Models } from './models.ts';

const WITHOUT_HASHES = { hash: 0, 'former.hash': 0 } as const;

export function createApiTokens({ tokens }: Pick<Models, 'tokens'>) {
  return {
    async insert(token: ApiToken, hash: Buffer): Promise<void> {
      await tokens.collection.insertOne({ ...token, hash } as never);
    },

    async findByHash(hash: Buffer): Promise<ApiToken | null> {
      return await tokens.findOne({ hash }, WITHOUT_HASHES).lean<ApiToken>();
    },

    /** By the secret before the present one, also where that has ended. */
    async findByFormerHash(hash: Buffer): Promise<ApiToken | null> {
      return await tokens.findOne({ 'former.hash': hash }, WITHOUT_HASHES).lean<ApiToken>();
    },

    async find(tokenId: string): Promise<ApiToken | null> {
      return await tokens.findById(tokenId, WITHOUT_HASHES).lean<ApiToken>();
    },

    /** Notes a use. Of several processes that do so at the same time, one writes. */
    async used(tokenId: string, now: Date): Promise<void> {
      const old = new Date(now.getTime() - LAST_USE_STEP_MS);
      // What a fail-over loses of it is written again with the next use.
      await tokens.updateOne(
        { _id: tokenId, $or: [{ lastUsedAt: null }, { lastUsedAt: { $lte: old } }] },
        { $set: { lastUsedAt: now } },
        { writeConcern: { w: 1 } },
      );
    },

    /** Gives it another secret; the present one opens it until `until`, null ends that at once. null where it is revoked. */
    async rotate(tokenId: string, hash: Buffer, until: Date | null): Promise<ApiToken | null> {
      // In one update: what it had is read there.
      const former = until ? [{ $set: { former: { hash: '$hash', until } } }] : [{ $unset: 'former' }];
      return await tokens
        .findOneAndUpdate({ _id: tokenId, revokedAt: null }, [...former, { $set: { hash } }] as never, {
          returnDocument: 'after',
          projection: WITHOUT_HASHES,
          updatePipeline: true,
        })
        .lean<ApiToken>();
    },

    async listOf(userId: string): Promise<ApiToken[]> {
      return await tokens.find({ userId }, WITHOUT_HASHES).sort({ _id: 1 }).lean<ApiToken[]>();
    },

    /** Revokes all of a user's for good. Returns how many were not revoked before. */
    async revokeAll(userId: string, now: Date): Promise<number> {
      const { modifiedCount } = await tokens.updateMany({ userId, revokedAt: null }, { $set: { revokedAt: now } });
      return modifiedCount;
    },

    /** Revokes it for good; the time of the first revocation stays. Returns null for an unknown one. */
    async revoke(tokenId: string, now: Date): Promise<ApiToken | null> {
      await tokens.updateOne({ _id: tokenId, revokedAt: null }, { $set: { revokedAt: now } });
      return await tokens.findById(tokenId, WITHOUT_HASHES).lean<ApiToken>();
    },
  };
}
