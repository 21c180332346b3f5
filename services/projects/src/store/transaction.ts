import { DomainError } from '@recording-request/kit/errors';
import type { ClientSession, Connection } from 'mongoose';

export type { ClientSession };

/** How long a transaction is tried again before it fails with `unavailable`. */
const BUDGET_MS = 20_000;
const OPTIONS = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', j: true },
} as const;

/**
 * Runs `work` in a transaction. Conflicts with other transactions are tried again by the driver until the budget is
 * spent, then it fails with `unavailable`, or until the caller is gone. Anything else that `work` throws ends it, undone.
 */
export async function inTransaction<T>(
  connection: Connection,
  work: (session: ClientSession) => Promise<T>,
  options: { signal?: AbortSignal | undefined; budgetMs?: number } = {},
): Promise<T> {
  const { signal, budgetMs = BUDGET_MS } = options;
  const session = await connection.startSession();
  const giveUpAt = performance.now() + budgetMs;
  let conflict: unknown;
  // The driver's own limit is two minutes and cannot be changed; what is no error of the driver's is not tried again.
  const attempt = async () => {
    signal?.throwIfAborted();
    if (performance.now() > giveUpAt) {
      throw new DomainError('unavailable', 'The service is busy; try again in a moment.', { cause: conflict });
    }
    try {
      return await work(session);
    } catch (error) {
      conflict = error;
      throw error;
    }
  };
  try {
    return await session.withTransaction(attempt, OPTIONS);
  } finally {
    await session.endSession();
  }
}
