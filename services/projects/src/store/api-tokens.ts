import type { ApiToken } from '../domain/user.ts';
import type { Models } from './models.ts';

export function createApiTokens({ tokens }: Pick<Models, 'tokens'>) {
  return {
    async insert(token: ApiToken, hash: Buffer): Promise<void> {
      await tokens.collection.insertOne({ ...token, hash } as never);
    },

    async findByHash(hash: Buffer): Promise<ApiToken | null> {
      return await tokens.findOne({ hash }, { hash: 0 }).lean<ApiToken>();
    },

    async listOf(userId: string): Promise<ApiToken[]> {
      return await tokens.find({ userId }, { hash: 0 }).sort({ _id: 1 }).lean<ApiToken[]>();
    },

    /** Revokes all of a user's for good. Returns how many were not revoked before. */
    async revokeAll(userId: string, now: Date): Promise<number> {
      const { modifiedCount } = await tokens.updateMany({ userId, revokedAt: null }, { $set: { revokedAt: now } });
      return modifiedCount;
    },

    /** Revokes it for good; the time of the first revocation stays. Returns null for an unknown one. */
    async revoke(tokenId: string, now: Date): Promise<ApiToken | null> {
      await tokens.updateOne({ _id: tokenId, revokedAt: null }, { $set: { revokedAt: now } });
      return await tokens.findById(tokenId, { hash: 0 }).lean<ApiToken>();
    },
  };
}
