import { bounded } from '@recording-request/kit/bounds';
import { DomainError } from '@recording-request/kit/errors';
import type { ClientSession, Connection } from 'mongoose';

export type { ClientSession };

/**
 * The time limit of a transaction, including all retries and the commit. A transaction that takes longer fails with
 * `unavailable`.
 */
export const TRANSACTION_MS = 20_000;
const ABORT_MS = 2_000;
const OPTIONS = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', j: true },
} as const;

export interface TransactionBounds {
  /** Aborts when the caller disconnects; the transaction then fails with the signal's reason. */
  signal?: AbortSignal | undefined;
  budgetMs?: number;
}

/**
 * Runs `work` in a transaction in a new session. The driver retries after a conflict with another transaction, and
 * retries a commit with an unknown result. After the time limit, this function fails with `unavailable`, and the commit
 * may or may not have happened. Any other error of `work` aborts the transaction.
 */
export async function inTransaction<T>(
  connection: Connection,
  work: (session: ClientSession) => Promise<T>,
  bounds: TransactionBounds = {},
): Promise<T> {
  return await withSession(connection, session => transact(session, work, bounds));
}

/** Runs `work` with a session. Then ends the session, which also ends its open transaction. */
export async function withSession<T>(connection: Connection, work: (session: ClientSession) => Promise<T>): Promise<T> {
  const session = await connection.startSession();
  try {
    return await work(session);
  } finally {
    // If the abort fails here, the server aborts the transaction later.
    await bounded(session.endSession(), ABORT_MS, 'the end of a session').catch(() => {});
  }
}

/** Does the same as `inTransaction` in an existing session. */
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
    // Applies our own limit, because the driver's fixed limit is two minutes. After our limit, the end of the session
    // ends the transaction.
    return await Promise.race([session.withTransaction(attempt, OPTIONS), ended]);
  } catch (error) {
    if (error !== timeUp.reason) throw error;
    throw new DomainError('unavailable', 'The service is busy; try again in a moment.', { cause: conflict ?? error });
  }
}
