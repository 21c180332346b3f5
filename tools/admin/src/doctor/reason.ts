import { ConfigError } from '@recording-request/kit/config';
import { causes } from '@recording-request/kit/tls-files';

interface NetworkError {
  code?: unknown;
  name?: string;
  hostname?: string;
  address?: string;
  port?: number;
  /** kafkajs: host:port. */
  broker?: string;
}

const NO_ANSWER = 'it does not answer in time: check the address, firewalls and network policies';
const NOT_TLS = /^(EPROTO|ERR_SSL_\w+)$/;
const CLOSED = /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/;
const LATE = /Timeout|OutOfTime/;

/**
 * Returns the reason for an error in words for an operator. A driver's own message is omitted, because it may repeat a
 * secret.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof ConfigError) return error.faults.join('; ');
  for (const each of causes(error)) {
    const reason = networkReason(each as NetworkError);
    if (reason !== undefined) return reason;
  }
  const { name = 'an error', code } = (error ?? {}) as NetworkError;
  return `it failed with ${name}${code === undefined ? '' : ` (${String(code)})`}`;
}

function networkReason({ code, name = '', hostname, address, port, broker }: NetworkError): string | undefined {
  const where = broker ?? (address && `${address}${port ? `:${port}` : ''}`);
  switch (code) {
    case 'ENOTFOUND':
    case 'ENODATA':
      return `DNS has no address for ${hostname ?? where ?? 'its name'}: correct the name`;
    case 'EAI_AGAIN':
    case 'ESERVFAIL':
    case 'EREFUSED':
    case 'ETIMEOUT':
      return `DNS does not answer for ${hostname ?? where ?? 'its name'}: check DNS and the network policies`;
    case 'ECONNREFUSED':
      return `nothing listens at ${where ?? 'its address'}: correct the host or the port, or start the server`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `no route leads to ${where ?? 'its address'}: check the address and the network`;
    case 'ETIMEDOUT':
      return NO_ANSWER;
    default:
  }
  if (NOT_TLS.test(String(code))) return `it does not accept TLS at this port as configured (${code})`;
  if (CLOSED.test(String(code))) return 'it closes the connection: check whether the port expects TLS and a login';
  if (LATE.test(name)) return NO_ANSWER;
  return undefined;
}
