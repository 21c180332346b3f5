import { missingFrom, type ShardKeys } from '@recording-request/kit-mongo/shard-keys';
import type { Operation } from './operation.ts';

/*
 * Checks in MongoDB's profiler records whether one shard could answer a command: it must have a value for each field of its
 * collection's shard key. A collection without a key is on one shard.
 */

interface Asked {
  name: string;
  filter: object;
  /** True when it changes one document: MongoDB refuses such a command without the shard key. */
  changesOne: boolean;
}

/** Returns `<collection> <command> <fields of its filter>` of a command without its shard key; undefined for any other. */
export function shapeOf(operation: Operation, keys: ShardKeys): string | undefined {
  const collection = operation.ns.slice(operation.ns.indexOf('.') + 1);
  const asked = askedBy(operation);
  // The profiler keeps only the text of a long command; shorter ones of its kind are checked.
  if ('$truncated' in operation.command) return undefined;
  if (!asked || collection.startsWith('$') || collection.startsWith('system.')) return undefined;
  if (!(collection in keys)) return `${collection} has no shard key`;
  const key = keys[collection];
  if (key === undefined || missingFrom(asked.filter, key, asked.changesOne).length === 0) return undefined;
  return `${collection} ${asked.name} ${fieldsOf(asked.filter).join(' ')}`.trim();
}

/**
 * Returns the shapes that no reason allows: MongoDB does not search every shard for the one document that a command changes,
 * except by its id, and before 8.0 not even by id in a `findAndModify`.
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
    // An upsert needs the key too.
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

/** Returns the profiler's filter for commands that may lack their key, in a database of this name; `shapeOf` decides. */
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
