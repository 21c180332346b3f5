import { missingFrom, type ShardKeys } from '@recording-request/kit-mongo/shard-keys';
import type { Operation } from './operation.ts';

/*
 * Checks, in MongoDB's profiler records, whether one shard could answer a command. The command must have a value for
 * each field of its collection's shard key. A collection without a key is on one shard.
 */

interface QueryInfo {
  name: string;
  filter: object;
  /** True if the command changes one document: MongoDB refuses such a command without the shard key. */
  changesOne: boolean;
}

/**
 * Returns `<collection> <command> <fields of its filter>` for a command that lacks its shard key; undefined for any
 * other command.
 */
export function shapeOf(operation: Operation, keys: ShardKeys): string | undefined {
  const collection = operation.ns.slice(operation.ns.indexOf('.') + 1);
  const query = queryOf(operation);
  // The profiler keeps a long command only as a text. Shorter commands of the same kind are checked.
  if ('$truncated' in operation.command) return undefined;
  if (!query || collection.startsWith('$') || collection.startsWith('system.')) return undefined;
  if (!(collection in keys)) return `${collection} has no shard key`;
  const key = keys[collection];
  if (key === undefined || missingFrom(query.filter, key, query.changesOne).length === 0) return undefined;
  return `${collection} ${query.name} ${fieldsOf(query.filter).join(' ')}`.trim();
}

/**
 * Returns the shapes that fail in a sharded database. A command without the shard key can change one document only if
 * its filter has the id; before MongoDB 8.0, a `findAndModify` fails even with the id.
 */
export const unroutable = (shapes: Iterable<string>): string[] =>
  [...shapes].filter(shape => {
    const [, name = '', ...fields] = shape.split(' ');
    return name === 'findAndModify' || (CHANGE_ONE.has(name) && !fields.includes('_id'));
  });

const CHANGE_ONE = new Set(['updateOne', 'deleteOne']);

function queryOf({ op, command }: Operation): QueryInfo | undefined {
  const query = command as Record<string, unknown> & { q?: object; filter?: object; query?: object };
  if (op === 'update') {
    // An upsert needs the key too.
    const changesOne = !query.multi || query.upsert === true;
    return { name: changesOne ? 'updateOne' : 'updateMany', filter: query.q ?? {}, changesOne };
  }
  if (op === 'remove') {
    const changesOne = query.limit === 1;
    return { name: changesOne ? 'deleteOne' : 'deleteMany', filter: query.q ?? {}, changesOne };
  }
  if ('find' in query) return { name: 'find', filter: query.filter ?? {}, changesOne: false };
  if ('findAndModify' in query || 'findandmodify' in query)
    return { name: 'findAndModify', filter: query.query ?? {}, changesOne: true };
  if ('count' in query || 'distinct' in query)
    return { name: 'count' in query ? 'count' : 'distinct', filter: query.query ?? {}, changesOne: false };
  if ('aggregate' in query && Array.isArray(query.pipeline)) {
    const [first = {}] = query.pipeline as Record<string, object>[];
    return { name: 'aggregate', filter: first.$match ?? {}, changesOne: false };
  }
  return undefined;
}

const fieldsOf = (filter: object): string[] =>
  Object.entries(filter)
    .flatMap(([name, value]) => (name === '$and' ? (value as object[]).flatMap(fieldsOf) : [name]))
    .sort();

/**
 * Returns the profiler's filter for commands that may lack their key, in the database `database`. `shapeOf` then
 * decides.
 */
export function mayLackKey(database: string, keys: ShardKeys): object {
  const keyed = Object.entries(keys).filter(([, key]) => key !== undefined);
  const lacking = keyed.map(([collection, key]) => ({
    ns: `${database}.${collection}`,
    $or: Object.keys(key!).map(name => ({ $nor: PLACES.map(place => isValue(`${place}.${name}`)) })),
  }));
  const known = Object.keys(keys).map(collection => `${database}.${collection}`);
  return { op: { $in: ['query', 'update', 'remove', 'command'] }, $or: [...lacking, { ns: { $nin: known } }] };
}

const PLACES = ['command.filter', 'command.q', 'command.query', 'command.pipeline.0.$match'];
const isValue = (path: string) => ({ [path]: { $exists: true, $not: { $type: 'object' } } });
