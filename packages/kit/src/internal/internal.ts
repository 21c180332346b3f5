import { createSecureContext, type SecureContext } from 'node:tls';
import {
  type ChannelCredentials,
  type ChannelOptions,
  credentials,
  experimental,
  ServerCredentials,
} from '@grpc/grpc-js';
import { loadConfig } from '../config.ts';
import { createLogger, type Logger } from '../log.ts';
import { internalVariables } from '../service-variables.ts';
import { type CertificateFiles, type Certificates, openCertificates } from './certificates.ts';
import type { PlaintextMode } from './modes.ts';
import { namesIn, uriOf } from './names.ts';

export interface InternalConfig extends CertificateFiles {
  internalPlaintext: PlaintextMode;
}

/** How a client reaches one service. */
export interface Peer {
  credentials: ChannelCredentials;
  options: ChannelOptions;
}

/** What a TLS connection to a service needs. */
export interface TlsPeer {
  secureContext: SecureContext;
  servername: string;
  checkServerIdentity: CheckServer;
}

type CheckServer = (host: string, certificate: { subjectaltname?: string }) => Error | undefined;

/** How this process and the other services know each other. */
export interface Internal extends Disposable {
  /** Whether its listeners take connections without TLS, and with it. */
  readonly takes: { plaintext: boolean; tls: boolean };
  /** Undefined where there are none. */
  readonly certificates: Certificates | undefined;
  /** For a listener of gRPC that takes TLS alone. */
  tlsServer(): ServerCredentials;
  /** The service `name` as a client of gRPC reaches it: what answers must have the certificate of that name. */
  peer(name: string): Peer;
  /** The same for any other protocol; undefined where calls are plaintext. */
  tlsPeer(name: string): TlsPeer | undefined;
}

/** For tests, and for what has no peers. */
export const PLAINTEXT: Internal = plaintext();

/** Opens the certificate of the service `name`, unless there is to be none. Fails with a ConfigError. */
export async function openInternal(
  config: InternalConfig,
  name: string,
  log: Logger,
  options: { lookMs?: number } = {},
): Promise<Internal> {
  const { internalPlaintext: mode } = config;
  if (mode !== 'false')
    log.warn(`INTERNAL_PLAINTEXT is ${mode}: services take calls from anyone who reaches their ports`);
  if (mode === 'true') return plaintext();
  const certificates = await openCertificates(config, { name, log, ...options });
  return withCertificates(certificates, mode);
}

/** The same for a program that calls services and is none, by the variables in `env`. */
export const openCaller = (env: NodeJS.ProcessEnv, name: string, options?: { lookMs?: number }): Promise<Internal> =>
  openInternal(loadConfig(env, internalVariables), name, createLogger(name, 'silent'), options);

function withCertificates(certificates: Certificates, mode: Exclude<PlaintextMode, 'true'> = 'false'): Internal {
  const checks = new Map<string, CheckServer>();
  // The same function for the same name: connections are shared by it.
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
    takes: { plaintext: mode !== 'false', tls: true },
    tlsServer: () => experimental.createCertificateProviderServerCredentials(certificates, certificates, true),
    peer(name) {
      if (mode === 'send') return plaintextPeer();
      return {
        credentials: experimental.createCertificateProviderChannelCredentials(certificates, certificates, {
          checkServerIdentity: check(name),
        }),
        // Addresses say nothing: a name resolves to many, and some targets are none.
        options: { 'grpc.ssl_target_name_override': name },
      };
    },
    tlsPeer: name =>
      mode === 'send' ? undefined : { secureContext, servername: name, checkServerIdentity: check(name) },
    [Symbol.dispose]: () => certificates[Symbol.dispose](),
  };
}

const contextOf = ({ current: { cert, key, ca } }: Certificates) => createSecureContext({ cert, key, ca });

const wrongServer = (name: string, subjectAltName: string | undefined): Error | undefined =>
  namesIn(subjectAltName).includes(name)
    ? undefined
    : new Error(`what answers is not ${name}: its certificate does not name URI:${uriOf(name)}`);

function plaintextPeer(): Peer {
  return { credentials: credentials.createInsecure(), options: {} };
}

function plaintext(): Internal {
  return {
    certificates: undefined,
    takes: { plaintext: true, tls: false },
    tlsServer: () => ServerCredentials.createInsecure(),
    peer: plaintextPeer,
    tlsPeer: () => undefined,
    [Symbol.dispose]() {},
  };
}
