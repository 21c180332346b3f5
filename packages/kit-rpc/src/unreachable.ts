/** An error of a driver, or of Node's network or DNS. */
type ServerError = Error & { syscall?: string };

/** Returns the name of the server that caused an outage at the start. Node's own errors do not name the server. */
export function unreachableServer({ name, syscall = '' }: ServerError): string {
  // Only an address `mongodb+srv://` needs these DNS records.
  if (name.startsWith('Mongo') || /^query(Srv|Txt)$/.test(syscall)) return 'MongoDB';
  return /^(Kafka|Publish)/.test(name) ? 'Kafka' : 'The object store';
}
