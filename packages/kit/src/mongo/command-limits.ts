import { callScope } from '../call-scope.ts';

// What a caller does not wait for any more may still come to its end: the next attempt finds it done.
const GRACE_MS = 5_000;
// Of the time until this process gives the connection up: the server has ended the command before.
const ANSWER_MS = 5_000;
// Reads that several callers share run within the call of the one that asked first, whose time may be over.
const LEAST_MS = 1_000;

/** A command as it is sent. */
export interface LimitedCommand {
  limit?: unknown;
  pipeline?: Record<string, unknown>[];
  maxTimeMS?: number;
}

const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify', 'count', 'distinct']);

/**
 * Has MongoDB end a command that nobody waits for any more: soon after the deadline of the RPC that is being served, and before this
 * process gives the connection up after `socketTimeoutMs`, 0 if never. A command that waits for another one's lock would otherwise go
 * on in the server, and be joined by that of each further attempt. A command with a `maxTimeMS` of its own keeps it. Of what is read to its end outside of an RPC only what
 * has a `limit` of rows has one of time: MongoDB counts all batches of a cursor together.
 */
export function limitCommand(name: string, command: LimitedCommand, socketTimeoutMs: number): void {
  if (command.maxTimeMS !== undefined) return;
  const deadlineAt = callScope.getStore()?.deadlineAt ?? Infinity;
  if (!mayBeLimited(name, command, deadlineAt !== Infinity)) return;
  const most = socketTimeoutMs === 0 ? Infinity : socketTimeoutMs - ANSWER_MS;
  const limitMs = Math.max(LEAST_MS, Math.ceil(Math.min(most, deadlineAt + GRACE_MS - Date.now())));
  if (limitMs !== Infinity) command.maxTimeMS = limitMs;
}

function mayBeLimited(name: string, { limit, pipeline }: LimitedCommand, isCalled: boolean): boolean {
  if (name === 'find') return isCalled || Boolean(limit);
  if (name === 'aggregate') return isCalled && pipeline?.[0]?.$changeStream === undefined;
  return WRITES.has(name);
}
