import type { HashDocument, HashedKind } from './documents.ts';
import type { Models } from './models.ts';
import type { ClientSession } from './transaction.ts';

/** A secret's hash with what the secret opens. */
export interface HashEntry extends Omit<HashDocument, '_id'> {
  hash: Buffer;
}

/**
 * Which record a secret opens, by its SHA-256: links, tokens and projects are kept by other keys than the hash, and in a
 * sharded database a look-up by the hash alone would ask every shard. The record has the hash too and decides: an entry
 * only says where to look, so that one too many opens nothing.
 */
export function createHashes({ hashes }: Pick<Models, 'hashes'>) {
  return {
    /** Fails, in the transaction of the session where one is given, for a hash that there is already. */
    async insertMany(entries: HashEntry[], session?: ClientSession): Promise<void> {
      const documents = entries.map(({ hash, ...entry }) => ({ _id: hash, ...entry }));
      await hashes.collection.insertMany(documents as never, session ? { session } : {});
    },

    async find(kind: HashedKind, hash: Buffer): Promise<HashDocument | null> {
      return await hashes.findOne({ _id: hash, kind }).lean<HashDocument>();
    },

    async remove(list: Buffer[], session?: ClientSession): Promise<void> {
      if (list.length > 0)
        await hashes.collection.deleteMany({ _id: { $in: list as never[] } }, session ? { session } : {});
    },
  };
}

export type Hashes = ReturnType<typeof createHashes>;
