import { setTimeout as pause } from 'node:timers/promises';
import { backoffMs } from '@recording-request/kit/bounds';
import { DomainError } from '@recording-request/kit/errors';
import mongoose, { type ClientSession, type Connection } from 'mongoose';

export type { ClientSession };

/** How long a transaction is tried again before the caller hears that the service is busy. */
const BUDGET_MS = 20_000;
const COMMIT_TRIES = 3;
const PAUSE_MS = { base: 5, max: 250 };

/**
 * Runs `work` in a transaction. Conflicts with other transactions are tried again with jitter until the budget is
 * spent or the caller is gone: then DomainError `unavailable`. What `work` throws otherwise ends it, undone.
 */
export async function inTransaction<T>(
  connection: Connection,
  work: (session: ClientSession) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const session = await connection.startSession();
  const giveUpAt = performance.now() + BUDGET_MS;
  try {
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted();
      try {
        return await attemptOnce(session, work);
      } catch (error) {
        if (!hasLabel(error, 'TransientTransactionError')) throw error;
        if (performance.now() > giveUpAt) {
          throw new DomainError('unavailable', 'The service is busy; try again in a moment.', { cause: error });
        }
        await pause(backoffMs(attempt, PAUSE_MS.base, PAUSE_MS.max), undefined, signal ? { signal } : {});
      }
    }
  } finally {
    await session.endSession();
  }
}

async function attemptOnce<T>(session: ClientSession, work: (session: ClientSession) => Promise<T>): Promise<T> {
  session.startTransaction({ readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority', j: true } });
  try {
    const result = await work(session);
    await commit(session);
    return result;
  } catch (error) {
    // An abort that fails changes nothing: the server ends the transaction by itself.
    if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
    throw error;
  }
}

async function commit(session: ClientSession): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await session.commitTransaction();
    } catch (error) {
      if (!hasLabel(error, 'UnknownTransactionCommitResult') || attempt >= COMMIT_TRIES) throw error;
    }
  }
}

function hasLabel(error: unknown, label: string): boolean {
  return error instanceof mongoose.mongo.MongoError && error.hasErrorLabel(label);
}
