import { missingFrom, type ShardKeys } from '@recording-request/kit-mongo/shard-keys';
import type { Operation } from './operation.ts';

/*
 * Judges by what MongoDB's profiler notes of a command whether one shard could answer it: whether it has a value for each
 * field of its collection's key. A collection without a key is whole, on one shard.
 */

interface Asked {
  name: string;
  filter: object;
  /** Whether it changes one document: MongoDB takes no such command that does not name the shard. */
  changesOne: boolean;
}

/** Returns `<collection> <command> <fields of its filter>` of a command that does not carry its key; undefined for any other. */
export function shapeOf(operation: Operation, keys: ShardKeys): string | undefined {
  const collection = operation.ns.slice(operation.ns.indexOf('.') + 1);
  const asked = askedBy(operation);
  // Of a command that is too long for the profiler there is its text alone; shorter ones of its kind are judged.
  if ('$truncated' in operation.command) return undefined;
  if (!asked || collection.startsWith('$') || collection.startsWith('system.')) return undefined;
  if (!(collection in keys)) return `${collection} has no shard key`;
  const key = keys[collection];
  if (key === undefined || missingFrom(asked.filter, key, asked.changesOne).length === 0) return undefined;
  return `${collection} ${asked.name} ${fieldsOf(asked.filter).join(' ')}`.trim();
}

/**
 * Returns the shapes that no reason allows: MongoDB does not look for the one document that a command changes on every shard,
 * but by its id, and before 8.0 not even by that in a `findAndModify`.
 */
export const unroutable = (shapes: Iterable<string>): string[] =>
  [...shapes].filter(shape => {
    const [, name = '', ...fields] = shape.split(' ');
    return name === 'findAndModify' || (CHANGE_ONE.has(name) && !fields.includes('_id'));
  });

const CHANGE_ONE = new Set(['updateOne', 'deleteOne']);

function askedBy({ op, command }: Operation): Asked | undefined {
  const asked = command as Record<string, unknown> & { q?: object; filter?: object; query?: object };
  if (op === 'update') {
    // What is inserted where it is missing has to have its key, too.
    const changesOne = !asked.multi || asked.upsert === true;
    return { name: changesOne ? 'updateOne' : 'updateMany', filter: asked.q ?? {}, changesOne };
  }
  if (op === 'remove') {
    const changesOne = asked.limit === 1;
    return { name: changesOne ? 'deleteOne' : 'deleteMany', filter: asked.q ?? {}, changesOne };
  }
  if ('find' in asked) return { name: 'find', filter: asked.filter ?? {}, changesOne: false };
  if ('findAndModify' in asked || 'findandmodify' in asked)
    return { name: 'findAndModify', filter: asked.query ?? {}, changesOne: true };
  if ('count' in asked || 'distinct' in asked)
    return { name: 'count' in asked ? 'count' : 'distinct', filter: asked.query ?? {}, changesOne: false };
  if ('aggregate' in asked && Array.isArray(asked.pipeline)) {
    const [first = {}] = asked.pipeline as Record<string, object>[];
    return { name: 'aggregate', filter: first.$match ?? {}, changesOne: false };
  }
  return undefined;
}

const fieldsOf = (filter: object): string[] =>
  Object.entries(filter)
    .flatMap(([name, value]) => (name === '$and' ? (value as object[]).flatMap(fieldsOf) : [name]))
    .sort();

/** The profiler's filter of commands that may not carry their key, in a database of this name; `shapeOf` decides. */
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
