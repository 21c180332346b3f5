// By name and label, so that callers need not load the drivers.
const MONGO_AWAY =
  /^(Mongo(ose)?(Network(Timeout)?|ServerSelection|WriteConcern|WaitQueueTimeout|PoolCleared|PoolClosed|ClientClosed|NotConnected|TopologyClosed)|PoolClearedOnNetwork)Error$/;
const MONGO_LABELS = ['RetryableWriteError', 'TransientTransactionError', 'UnknownTransactionCommitResult'];
const MONGO_MAX_TIME_EXPIRED = 50;
const NETWORK = /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/;
const STORE = /^(SlowDown|SlowDownRead|SlowDownWrite|ServiceUnavailable|XMinioServerNotInitialized|InternalError)$/;

const KAFKA_AWAY =
  /^PublishError$|^KafkaJS(NumberOfRetriesExceeded|Connection(Closed)?Error|RequestTimeoutError|BrokerNotFound|NoBrokerAvailableError|GroupCoordinatorNotFound|(Lock)?Timeout|(Topic)?MetadataNotLoaded)$/;

/** Whether an error means that a backing service is down, failing over or too slow: worth another try later. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, code, hasErrorLabel } = error as Error & { code?: unknown; hasErrorLabel?: (label: string) => boolean };
  if (MONGO_AWAY.test(name) || KAFKA_AWAY.test(name)) return true;
  if (typeof hasErrorLabel === 'function')
    return code === MONGO_MAX_TIME_EXPIRED || MONGO_LABELS.some(label => hasErrorLabel.call(error, label));
  return typeof code === 'string' && (NETWORK.test(code) || STORE.test(code));
}
