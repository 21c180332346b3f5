import { callScope } from '@recording-request/kit/call-scope';

// The time that a command gets after its caller has given up, so that a retry may find it done.
const GRACE_MS = 5_000;
// Reserved at the end of the socket timeout, so that the server ends the command before this process closes the
// connection.
const ANSWER_MS = 5_000;
// The minimum for a command. A shared read runs in the call of its first caller, whose deadline may have passed.
const LEAST_MS = 1_000;

/** A command in the form in which the driver sends it. */
export interface LimitedCommand {
  pipeline?: Record<string, unknown>[];
  maxTimeMS?: number;
}

const LIMITED = new Set([
  ...['find', 'aggregate', 'count', 'distinct'],
  ...['insert', 'update', 'delete', 'findAndModify'],
]);

/**
 * Sets `maxTimeMS`, so that MongoDB ends a command without a waiting caller: soon after the deadline of the current
 * RPC, and before `socketTimeoutMs` (0: none). Otherwise a command that waits for a lock would continue in the server,
 * and each retry would add another command. A command's own `maxTimeMS` stays: a scan of a whole collection sets 0,
 * because MongoDB counts the time of all batches of a cursor.
 */
export function limitCommand(name: string, command: LimitedCommand, socketTimeoutMs: number): void {
  if (command.maxTimeMS !== undefined || !LIMITED.has(name)) return;
  // A change stream never ends.
  if (command.pipeline?.[0]?.$changeStream !== undefined) return;
  const deadlineAt = callScope.getStore()?.deadlineAt ?? Infinity;
  const most = socketTimeoutMs === 0 ? Infinity : socketTimeoutMs - ANSWER_MS;
  const limitMs = Math.max(LEAST_MS, Math.ceil(Math.min(most, deadlineAt + GRACE_MS - Date.now())));
  if (limitMs !== Infinity) command.maxTimeMS = limitMs;
}
