import { type ApiToken, LAST_USE_STEP_MS } from '../domain/user.ts';
import type { TokenDocument } from './documents.ts';
import type { Hashes } from './hashes.ts';
import type { Models } from './models.ts';

const WITHOUT_HASHES = { hash: 0, 'former.hash': 0 } as const;
const HASHES = { hash: 1, 'former.hash': 1 } as const;

// A stored hash has the type that the driver uses for bytes.
const inHex = (hash: Buffer) => hash.toString('hex');
const hashesOf = ({ hash, former }: Pick<TokenDocument, 'hash' | 'former'>) => (former ? [hash, former.hash] : [hash]);

export function createApiTokens({ tokens }: Pick<Models, 'tokens'>, hashes: Hashes) {
  /** Returns the hashes of the current and former secrets of the tokens. */
  async function hashesIn(filter: { _id: string } | { userId: string }): Promise<Buffer[]> {
    const rows = await tokens.find(filter, HASHES).lean<Pick<TokenDocument, 'hash' | 'former'>[]>();
    return rows.flatMap(hashesOf);
  }

  return {
    async insert(token: ApiToken, hash: Buffer): Promise<void> {
      // Inserts the look-up entry first, because it must exist before a client gets the secret.
      await hashes.insertMany([{ hash, kind: 'token', id: token._id }]);
      await tokens.collection.insertOne({ ...token, hash } as never);
    },

    /** Finds a token by its current or its former secret, even if the former secret has expired. */
    async findByHash(hash: Buffer): Promise<{ token: ApiToken; isFormer: boolean } | null> {
      const entry = await hashes.find('token', hash);
      if (!entry) return null;
      const row = await tokens
        .findOne({ _id: entry.id, $or: [{ hash }, { 'former.hash': hash }] })
        .lean<TokenDocument>();
      if (!row) return null;
      const { hash: current, former, ...rest } = row;
      const token = former ? { ...rest, former: { until: former.until } } : rest;
      return { token, isFormer: inHex(current) !== inHex(hash) };
    },

    async find(tokenId: string): Promise<ApiToken | null> {
      return await tokens.findById(tokenId, WITHOUT_HASHES).lean<ApiToken>();
    },

    /** Stores the time of a use. If several calls run at the same time, only one of them writes. */
    async used(tokenId: string, now: Date): Promise<void> {
      const old = new Date(now.getTime() - LAST_USE_STEP_MS);
      // If a fail-over loses this write, the next use writes again.
      await tokens.updateOne(
        { _id: tokenId, $or: [{ lastUsedAt: null }, { lastUsedAt: { $lte: old } }] },
        { $set: { lastUsedAt: now } },
        { writeConcern: { w: 1 } },
      );
    },

    /**
     * Replaces the token's secret. The current secret stays valid until `until`; null ends it at once. Returns null for
     * a revoked token.
     */
    async rotate(tokenId: string, hash: Buffer, until: Date | null): Promise<ApiToken | null> {
      // Reads these hashes first, because the update below replaces them.
      const before = await hashesIn({ _id: tokenId });
      await hashes.insertMany([{ hash, kind: 'token', id: tokenId }]);
      const former = until ? [{ $set: { former: { hash: '$hash', until } } }] : [{ $unset: 'former' }];
      const token = await tokens
        .findOneAndUpdate({ _id: tokenId, revokedAt: null }, [...former, { $set: { hash } }] as never, {
          returnDocument: 'after',
          projection: WITHOUT_HASHES,
          updatePipeline: true,
        })
        .lean<ApiToken>();
      const after = new Set((await hashesIn({ _id: tokenId })).map(inHex));
      await hashes.remove([...before, hash].filter(each => !after.has(inHex(each))));
      return token;
    },

    async listOf(userId: string): Promise<ApiToken[]> {
      return await tokens.find({ userId }, WITHOUT_HASHES).sort({ _id: 1 }).lean<ApiToken[]>();
    },

    /** Permanently revokes all tokens of a user. Returns the number of tokens that this call revoked. */
    async revokeAll(userId: string, now: Date): Promise<number> {
      const { modifiedCount } = await tokens.updateMany({ userId, revokedAt: null }, { $set: { revokedAt: now } });
      return modifiedCount;
    },

    /** Removes all tokens of a user. */
    async removeAll(userId: string): Promise<void> {
      await hashes.remove(await hashesIn({ userId }));
      await tokens.deleteMany({ userId });
    },

    /**
     * Permanently revokes a token. A repeated call keeps the time of the first revocation. Returns null for an unknown
     * token.
     */
    async revoke(tokenId: string, now: Date): Promise<ApiToken | null> {
      await tokens.updateOne({ _id: tokenId, revokedAt: null }, { $set: { revokedAt: now } });
      return await tokens.findById(tokenId, WITHOUT_HASHES).lean<ApiToken>();
    },
  };
}

export type ApiTokens = ReturnType<typeof createApiTokens>;
