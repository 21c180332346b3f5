import type { HashDocument, HashedKind } from './documents.ts';
import type { Models } from './models.ts';
import type { ClientSession } from './transaction.ts';

/** A secret's hash and the record that the secret opens. */
export interface HashEntry extends Omit<HashDocument, '_id'> {
  hash: Buffer;
}

/**
 * Maps a secret's SHA-256 to its record. Links, tokens and projects are not sharded by this hash, so without these
 * entries a look-up by hash would query every shard. An entry only locates the record: the hash in the record decides,
 * so an entry without a matching record opens nothing.
 */
export function createHashes({ hashes }: Pick<Models, 'hashes'>) {
  return {
    /** Inserts entries, in the transaction of `session` if given. Fails for a hash that already exists. */
    async insertMany(entries: HashEntry[], session?: ClientSession): Promise<void> {
      const documents = entries.map(({ hash, ...entry }) => ({ _id: hash, ...entry }));
      await hashes.collection.insertMany(documents as never, session ? { session } : {});
    },

    async find(kind: HashedKind, hash: Buffer): Promise<HashDocument | null> {
      return await hashes.findOne({ _id: hash, kind }).lean<HashDocument>();
    },

    /** Removes the completion codes of a project. */
    async removeCodes(projectId: string): Promise<void> {
      await hashes.collection.deleteMany({ kind: 'code', projectId });
    },

    /** Removes the entries of one record. */
    async removeOf(list: Buffer[], id: string): Promise<void> {
      await hashes.collection.deleteMany({ _id: { $in: list as never[] }, id });
    },

    async remove(list: Buffer[], session?: ClientSession): Promise<void> {
      if (list.length > 0)
        await hashes.collection.deleteMany({ _id: { $in: list as never[] } }, session ? { session } : {});
    },
  };
}

export type Hashes = ReturnType<typeof createHashes>;
