import { callScope } from '@recording-request/kit/call-scope';

// Lets a command finish shortly after its caller has given up: a retry then finds it done.
const GRACE_MS = 5_000;
// A share of the socket timeout: the server ends the command before this process gives up the connection.
const ANSWER_MS = 5_000;
// Shared reads run within the call of the first caller, whose deadline may have passed.
const LEAST_MS = 1_000;

/** A command in the form it is sent. */
export interface LimitedCommand {
  pipeline?: Record<string, unknown>[];
  maxTimeMS?: number;
}

const LIMITED = new Set([
  ...['find', 'aggregate', 'count', 'distinct'],
  ...['insert', 'update', 'delete', 'findAndModify'],
]);

/**
 * Sets `maxTimeMS`, so that MongoDB ends a command that nobody waits for: soon after the deadline of the RPC that is being served, and
 * before `socketTimeoutMs` (0: none). Otherwise a command that waits for a lock would continue in the server, and each retry would add
 * another one. A command's own `maxTimeMS` stays: a scan of a whole collection sets 0, because MongoDB counts all batches of a cursor.
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
