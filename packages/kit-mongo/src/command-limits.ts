import { callScope } from '@recording-request/kit/call-scope';

// What a caller does not wait for any more may still come to its end: the next attempt finds it done.
const GRACE_MS = 5_000;
// Of the time until this process gives the connection up: the server has ended the command before.
const ANSWER_MS = 5_000;
// Reads that several callers share run within the call of the one that asked first, whose time may be over.
const LEAST_MS = 1_000;

/** A command as it is sent. */
export interface LimitedCommand {
  pipeline?: Record<string, unknown>[];
  maxTimeMS?: number;
}

const LIMITED = new Set([
  ...['find', 'aggregate', 'count', 'distinct'],
  ...['insert', 'update', 'delete', 'findAndModify'],
]);

/**
 * Has MongoDB end a command that nobody waits for any more: soon after the deadline of the RPC that is being served, and before this
 * process gives the connection up after `socketTimeoutMs`, 0 if never. A command that waits for another one's lock would otherwise go
 * on in the server, and be joined by that of each further attempt. A command with a `maxTimeMS` of its own keeps it: what reads a collection
 * to its end sets 0, for none, as MongoDB counts all batches of a cursor together.
 */
export function limitCommand(name: string, command: LimitedCommand, socketTimeoutMs: number): void {
  if (command.maxTimeMS !== undefined || !LIMITED.has(name)) return;
  // A change stream goes on for ever.
  if (command.pipeline?.[0]?.$changeStream !== undefined) return;
  const deadlineAt = callScope.getStore()?.deadlineAt ?? Infinity;
  const most = socketTimeoutMs === 0 ? Infinity : socketTimeoutMs - ANSWER_MS;
  const limitMs = Math.max(LEAST_MS, Math.ceil(Math.min(most, deadlineAt + GRACE_MS - Date.now())));
  if (limitMs !== Infinity) command.maxTimeMS = limitMs;
}
