import mongoose from 'mongoose';

const { MongoError, MongoNetworkError, MongoServerSelectionError, MongoWriteConcernError } = mongoose.mongo;

const MAX_TIME_EXPIRED = 50;
const POOL_WAS_BUSY = 'MongoWaitQueueTimeoutError';
const POOL_WAS_CLEARED = 'MongoPoolClearedError';
const LABELS = ['RetryableWriteError', 'TransientTransactionError', 'UnknownTransactionCommitResult'];

/** Whether an error means that the database is away, changing its primary or too slow: worth another try later. */
export function isOutage(error: unknown): boolean {
  if (error instanceof mongoose.Error.MongooseServerSelectionError) return true;
  if (!(error instanceof MongoError)) return false;
  const away = [MongoNetworkError, MongoServerSelectionError, MongoWriteConcernError];
  return (
    away.some(kind => error instanceof kind) ||
    error.name === POOL_WAS_BUSY ||
    error.name === POOL_WAS_CLEARED ||
    error.code === MAX_TIME_EXPIRED ||
    LABELS.some(label => error.hasErrorLabel(label))
  );
}
