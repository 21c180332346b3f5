import { bounded } from '@recording-request/kit/bounds';
import { DomainError } from '@recording-request/kit/errors';
import type { ClientSession, Connection } from 'mongoose';

export type { ClientSession };

/** How long a transaction may take with all its tries and its commit before it fails with `unavailable`. */
export const TRANSACTION_MS = 20_000;
const ABORT_MS = 2_000;
const OPTIONS = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', j: true },
} as const;

export interface TransactionBounds {
  /** The caller is gone: the transaction ends with the signal's reason. */
  signal?: AbortSignal | undefined;
  budgetMs?: number;
}

/**
 * Runs `work` in a transaction of its own session. Conflicts with other transactions, and commits whose outcome is not
 * known, are tried again by the driver until the budget is spent; then it fails with `unavailable`, and may or may not
 * have been committed. Anything else that `work` throws ends it, undone.
 */
export async function inTransaction<T>(
  connection: Connection,
  work: (session: ClientSession) => Promise<T>,
  bounds: TransactionBounds = {},
): Promise<T> {
  return await withSession(connection, session => transact(session, work, bounds));
}

/** Runs `work` with a session that ends with it, and with it every transaction that is still open. */
export async function withSession<T>(connection: Connection, work: (session: ClientSession) => Promise<T>): Promise<T> {
  const session = await connection.startSession();
  try {
    return await work(session);
  } finally {
    // What could not be aborted now, the server aborts.
    await bounded(session.endSession(), ABORT_MS, 'the end of a session').catch(() => {});
  }
}

/** `inTransaction` in a session that is there. */
export async function transact<T>(
  session: ClientSession,
  work: (session: ClientSession) => Promise<T>,
  { signal, budgetMs = TRANSACTION_MS }: TransactionBounds,
): Promise<T> {
  const timeUp = AbortSignal.timeout(budgetMs);
  const over = signal ? AbortSignal.any([signal, timeUp]) : timeUp;
  const { promise: ended, reject } = Promise.withResolvers<never>();
  over.addEventListener('abort', () => reject(over.reason));
  let conflict: unknown;
  const attempt = async () => {
    over.throwIfAborted();
    try {
      return await work(session);
    } catch (error) {
      conflict = error;
      throw error;
    }
  };
  try {
    over.throwIfAborted();
    // The driver's own limit is two minutes and cannot be changed. What runs on after ours ends with its session.
    return await Promise.race([session.withTransaction(attempt, OPTIONS), ended]);
  } catch (error) {
    if (error !== timeUp.reason) throw error;
    throw new DomainError('unavailable', 'The service is busy; try again in a moment.', { cause: conflict ?? error });
  }
}
