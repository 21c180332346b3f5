/**
 * Listeners of Kafka with TLS, for tests. One listener requires SASL; the other, if present, requires a client
 * certificate.
 */
export interface SecureKafka {
  saslPort: number;
  certificatePort?: number;
  /** PEM: the certificate with its key, and the authority of the clients' certificates. */
  cert: string;
  key: string;
  ca: string;
  /** Passwords by name, for SCRAM and PLAIN. */
  users: Record<string, string>;
}

/** Returns the arguments that create the users when the storage is formatted. */
export const formatArguments = (secure: SecureKafka | undefined): string[] =>
  Object.entries(secure?.users ?? {}).flatMap(([name, password]) => [
    '--add-scram',
    `SCRAM-SHA-512=[name=${name},password=${password}]`,
  ]);

/** Returns the addresses of the listeners. */
export const secureListeners = (host: string, secure: SecureKafka | undefined): string[] => [
  ...(secure ? [`SASL_SSL://${host}:${secure.saslPort}`] : []),
  ...(secure?.certificatePort ? [`SSL://${host}:${secure.certificatePort}`] : []),
];

/** Returns the properties of the listeners. The broker accepts unsigned tokens, because the tests check only the client. */
export function secureProperties(secure: SecureKafka | undefined): Record<string, string> {
  if (!secure) return {};
  const oneLine = (pem: string) => pem.trim().replaceAll('\n', '\\n');
  const users = Object.entries(secure.users).map(([name, password]) => `user_${name}="${password}"`);
  const sasl = 'listener.name.sasl_ssl';
  const modules = 'org.apache.kafka.common.security';
  return {
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.certificate.chain': oneLine(secure.cert),
    'ssl.keystore.key': oneLine(secure.key),
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.certificates': oneLine(secure.ca),
    'listener.name.ssl.ssl.client.auth': 'required',
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-512,OAUTHBEARER',
    [`${sasl}.scram-sha-512.sasl.jaas.config`]: `${modules}.scram.ScramLoginModule required;`,
    [`${sasl}.plain.sasl.jaas.config`]: `${modules}.plain.PlainLoginModule required ${users.join(' ')};`,
    [`${sasl}.oauthbearer.sasl.jaas.config`]: `${modules}.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";`,
    // A connection ends when its token expires.
    [`${sasl}.oauthbearer.connections.max.reauth.ms`]: '3600000',
  };
}
