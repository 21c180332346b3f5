import type { Aggregate, Connection, Query, Schema } from 'mongoose';
import { callScope } from '../call-scope.ts';

// What a caller does not wait for any more may still come to its end: the next attempt finds it done.
const GRACE_MS = 5_000;
// Of the time until this process gives the connection up: the server has ended the command before.
const ANSWER_MS = 5_000;
// Reads that several callers share run within the call of the one that asked first, whose time may be over.
const LEAST_MS = 1_000;
const QUERIES = [
  ...(['countDocuments', 'distinct', 'find', 'findOne', 'findOneAndDelete', 'findOneAndReplace'] as const),
  ...(['findOneAndUpdate', 'replaceOne', 'updateOne', 'updateMany', 'deleteOne', 'deleteMany'] as const),
];

/**
 * Has MongoDB end the commands of a schema's models that nobody waits for any more: soon after the deadline of the RPC that is being
 * served, and before this process gives their connection up. A command that waits for another one's lock would otherwise
 * go on in the server, and be joined by that of each further attempt. A command with a `maxTimeMS` of its own keeps it; those that go
 * past the models, to their collections, and inserts have none.
 */
export function limitCommands(schema: Schema): void {
  schema.pre(QUERIES, { document: false, query: true }, function (this: Query<unknown, unknown>) {
    if (this.getOptions().maxTimeMS !== undefined) return;
    const limitMs = limitOf(this.model.db);
    if (limitMs !== undefined) this.maxTimeMS(limitMs);
  });
  schema.pre('aggregate', function (this: Aggregate<unknown>) {
    const limitMs = limitOf(this.model().db);
    if (limitMs !== undefined) this.options.maxTimeMS ??= limitMs;
  });
}

/** Undefined where the connection waits for answers as long as it takes, and nobody waits for this one. */
function limitOf(connection: Connection): number | undefined {
  const { socketTimeoutMS = 0 } = connection.getClient().options;
  const most = socketTimeoutMS === 0 ? Infinity : socketTimeoutMS - ANSWER_MS;
  const left = (callScope.getStore()?.deadlineAt ?? Infinity) + GRACE_MS - Date.now();
  const limitMs = Math.max(LEAST_MS, Math.ceil(Math.min(most, left)));
  return limitMs === Infinity ? undefined : limitMs;
}
