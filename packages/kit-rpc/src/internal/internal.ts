import { createSecureContext, type SecureContext } from 'node:tls';
import {
  type ChannelCredentials,
  type ChannelOptions,
  credentials,
  experimental,
  ServerCredentials,
} from '@grpc/grpc-js';
import { loadConfig } from '@recording-request/kit/config';
import { createLogger, type Logger } from '@recording-request/kit/log';
import { internalVariables } from '@recording-request/kit/service-variables';
import { type CertificateFiles, type Certificates, openCertificates } from './certificates.ts';
import { namesIn, uriOf } from './names.ts';

export interface InternalConfig extends CertificateFiles {
  internalPlaintext: boolean;
}

/** The connection options of a client for one service. */
export interface Peer {
  credentials: ChannelCredentials;
  options: ChannelOptions;
}

/** The options of a TLS connection to a service. */
export interface TlsPeer {
  secureContext: SecureContext;
  servername: string;
  checkServerIdentity: CheckServer;
}

type CheckServer = (host: string, certificate: { subjectaltname?: string }) => Error | undefined;

/** The authentication between this process and the other services. */
export interface Internal extends Disposable {
  /** Undefined for plaintext. */
  readonly certificates: Certificates | undefined;
  /** For a gRPC listener. */
  serverCredentials(): ServerCredentials;
  /**
   * Returns the options of a gRPC client of the service `name`. The server must have the certificate of this service.
   */
  peer(name: string): Peer;
  /** Returns the connection options for other protocols; undefined in plaintext. */
  tlsPeer(name: string): TlsPeer | undefined;
}

/** Plaintext: for tests and for programs without peers. */
export const PLAINTEXT: Internal = plaintext();

/** Opens the certificate of the service `name`, or uses plaintext if configured. Fails with a ConfigError. */
export async function openInternal(
  config: InternalConfig,
  name: string,
  log: Logger,
  options: { lookMs?: number } = {},
): Promise<Internal> {
  if (config.internalPlaintext) {
    log.warn('INTERNAL_PLAINTEXT is true: services take calls from anyone who reaches their ports');
    return plaintext();
  }
  return withCertificates(await openCertificates(config, { name, log, ...options }));
}

/** Does the same as `openInternal` for a program that only calls services, with the variables in `env`. */
export const openCaller = (env: NodeJS.ProcessEnv, name: string, options?: { lookMs?: number }): Promise<Internal> =>
  openInternal(loadConfig(env, internalVariables), name, createLogger(name, 'silent'), options);

function withCertificates(certificates: Certificates): Internal {
  const checks = new Map<string, CheckServer>();
  // Keeps one function per name, because the library shares connections by function.
  const check = (name: string): CheckServer => {
    const made = checks.get(name) ?? ((_host, { subjectaltname }) => wrongServer(name, subjectaltname));
    checks.set(name, made);
    return made;
  };
  let secureContext = contextOf(certificates);
  certificates.onChange(() => {
    secureContext = contextOf(certificates);
  });
  return {
    certificates,
    serverCredentials: () => experimental.createCertificateProviderServerCredentials(certificates, certificates, true),
    peer: name => ({
      credentials: experimental.createCertificateProviderChannelCredentials(certificates, certificates, {
        checkServerIdentity: check(name),
      }),
      // The client does not check the address: a name resolves to many addresses, and some targets are not addresses.
      options: { 'grpc.ssl_target_name_override': name },
    }),
    tlsPeer: name => ({ secureContext, servername: name, checkServerIdentity: check(name) }),
    [Symbol.dispose]: () => certificates[Symbol.dispose](),
  };
}

const contextOf = ({ current: { cert, key, ca } }: Certificates) => createSecureContext({ cert, key, ca });

const wrongServer = (name: string, subjectAltName: string | undefined): Error | undefined =>
  namesIn(subjectAltName).includes(name)
    ? undefined
    : new Error(`what answers is not ${name}: its certificate does not name URI:${uriOf(name)}`);

function plaintext(): Internal {
  return {
    certificates: undefined,
    serverCredentials: () => ServerCredentials.createInsecure(),
    peer: () => ({ credentials: credentials.createInsecure(), options: {} }),
    tlsPeer: () => undefined,
    [Symbol.dispose]() {},
  };
}
