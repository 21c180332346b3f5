// Identifies errors by names and labels, so that callers need not load the drivers.
const MONGO_AWAY =
  /^(Mongo(ose)?(Network(Timeout)?|ServerSelection|WriteConcern|WaitQueueTimeout|PoolCleared|PoolClosed|ClientClosed|NotConnected|TopologyClosed)|PoolClearedOnNetwork)Error$/;
const MONGO_LABELS = ['RetryableWriteError', 'TransientTransactionError', 'UnknownTransactionCommitResult'];
/**
 * Codes of MongoDB: MaxTimeMSExpired, and the errors of a member that is not primary or not ready to read. When the
 * driver's retry of a read also fails, such an error has no label.
 */
const MONGO_UNABLE = new Set<unknown>([50, 91, 134, 189, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436]);
const NETWORK = /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|EPIPE|EHOSTUNREACH)$/;
// The last four are codes of lookups of SRV and TXT records, for an address `mongodb+srv://`.
const DNS = /^(ENOTFOUND|EAI_AGAIN|ESERVFAIL|EREFUSED|ETIMEOUT|ENODATA)$/;
const STORE = /^(SlowDown|SlowDownRead|SlowDownWrite|ServiceUnavailable|XMinioServerNotInitialized|InternalError)$/;

const KAFKA_AWAY =
  /^PublishError$|^KafkaJS(NumberOfRetriesExceeded|Connection(Closed)?Error|RequestTimeoutError|BrokerNotFound|NoBrokerAvailableError|GroupCoordinatorNotFound|(Lock)?Timeout|(Topic)?MetadataNotLoaded)$/;

type DriverError = Error & {
  code?: unknown;
  hasErrorLabel?: (label: string) => boolean;
  errorResponse?: unknown;
};

/** Returns whether an error means that a server is down, failing over or too slow. Then a later retry may succeed. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, code, hasErrorLabel, errorResponse } = error as DriverError;
  // The error of a bulk write contains the real error, but not its labels.
  if (errorResponse instanceof Error) return isOutage(errorResponse);
  if (MONGO_AWAY.test(name) || KAFKA_AWAY.test(name)) return true;
  if (typeof hasErrorLabel === 'function')
    return MONGO_UNABLE.has(code) || MONGO_LABELS.some(label => hasErrorLabel.call(error, label));
  return typeof code === 'string' && [NETWORK, DNS, STORE].some(codes => codes.test(code));
}
