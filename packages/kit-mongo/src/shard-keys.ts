import type { CollectionIndexes } from './indexes.ts';

/**
 * The shard key of a collection; undefined if the collection stays on one shard. The key is hashed if its values grow
 * with time or are few: otherwise all new documents would go to the last shard.
 */
export type ShardKey = Record<string, 1 | 'hashed'> | undefined;

/** The shard key of each collection of a database, including the kit's own collections. */
export type ShardKeys = Record<string, ShardKey>;

/** The distribution of a database over shards. */
export interface Sharding {
  keys: ShardKeys;
  /**
   * The commands that query every shard, each with the reason. A name is `<collection> <command> <fields of its
   * filter>`. A command that changes a document must name the key, or at least the id.
   */
  acrossShards: Record<string, string>;
}

/** The kit's own collections, with a few documents each. */
export const KIT_COLLECTIONS: ShardKeys = { leases: undefined, schema: undefined, restoring: undefined };

/**
 * Returns a sentence for each fault: a collection without an entry, an entry without a collection, or a unique index of
 * a sharded collection whose fields do not begin with the shard key. Equal values are on one shard only if the index
 * begins with the key.
 */
export function shardKeyFaults(collections: readonly CollectionIndexes[], keys: ShardKeys): string[] {
  const known = new Set([...collections.map(({ collection }) => collection), ...Object.keys(KIT_COLLECTIONS)]);
  return [
    ...collections.filter(({ collection }) => !(collection in keys)).map(each => `${each.collection} has no entry`),
    ...Object.keys(keys)
      .filter(collection => !known.has(collection))
      .map(collection => `${collection} is no collection`),
    ...collections.flatMap(({ collection, indexes }) => {
      const key = keys[collection];
      if (key === undefined) return [];
      return indexes
        .filter(({ keys: fields, options }) => options.unique && !startsWith(Object.keys(fields), Object.keys(key)))
        .map(
          ({ keys: fields }) => `${collection}: the unique index on ${Object.keys(fields)} does not begin with its key`,
        );
    }),
  ];
}

const startsWith = (fields: string[], key: string[]): boolean =>
  // A unique index on an id is checked only within each shard. That is enough, because ids are generated unique.
  fields[0] === '_id' || key.every((name, at) => fields[at] === name);

/**
 * Returns the key fields that have no value in a filter; none if MongoDB can route the command by the filter. `each`:
 * the command needs one exact value of each field. Otherwise, a list of values counts as a value. A range never counts.
 */
export function missingFrom(filter: object, key: NonNullable<ShardKey>, each: boolean): string[] {
  return Object.keys(key).filter(name => !isNamed(valueNamed(filter, name, each), each));
}

function valueNamed(filter: object, name: string, each: boolean): unknown {
  const { $and, $or, ...fields } = filter as Record<string, unknown> & { $and?: object[]; $or?: object[] };
  if (name in fields) return fields[name];
  const named = $and?.map(part => valueNamed(part, name, each)).find(value => value !== undefined);
  if (named !== undefined || each) return named;
  // Each part of an `$or` must have a value.
  const values = $or?.map(part => valueNamed(part, name, each)) ?? [];
  return values.includes(undefined) ? undefined : values[0];
}

function isNamed(value: unknown, each: boolean): boolean {
  if (value === undefined) return false;
  if (typeof value !== 'object' || value === null || '_bsontype' in value || value instanceof Uint8Array) return true;
  const operators = Object.keys(value);
  if (!operators.some(name => name.startsWith('$'))) return true;
  return operators.includes('$eq') || (!each && operators.includes('$in'));
}
