import { flag, integer, list, optionalText, secret, text, type Values } from '@recording-request/kit/config';
import { certificateFile, keyFile, type Misplaced } from '@recording-request/kit/tls-files';
import type { Variable } from '@recording-request/kit/variable';

/** The SASL mechanisms that a client can log in with. */
export const MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const;
export type Mechanism = (typeof MECHANISMS)[number];

const BEARER = 'OAUTHBEARER';
/** From 1 to 65535. */
const PORT = '(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])';
// With these mechanisms, anyone who reads the traffic gets a usable secret.
const NEEDS_TLS: readonly string[] = ['PLAIN', BEARER];

const withoutTls: Misplaced = env =>
  env.KAFKA_TLS === 'true' ? undefined : 'is set, but KAFKA_TLS is not true: set it, or unset this';
const withoutBearer: Misplaced = env =>
  env.KAFKA_SASL_MECHANISM === BEARER ? undefined : `is set, but KAFKA_SASL_MECHANISM is not ${BEARER}`;

/**
 * Makes a variable required for the mechanisms that `needed` accepts, and refuses the variable for all other
 * mechanisms.
 */
function ofMechanism<T>(
  of: Variable<T>,
  needed: (mechanism: string, env: NodeJS.ProcessEnv) => boolean,
): Variable<T | undefined> {
  return {
    ...of,
    required: false,
    parse(value, env) {
      const mechanism = env.KAFKA_SASL_MECHANISM ?? '';
      const isSet = value !== undefined || Boolean(of.isSecret && env[`${of.name}_FILE`]);
      if (needed(mechanism, env)) {
        if (!isSet) throw new Error(`is not set, which KAFKA_SASL_MECHANISM=${mechanism} needs`);
        return of.parse(value, env);
      }
      if (isSet) throw new Error('is set, but nothing uses it: look at KAFKA_SASL_MECHANISM');
      return undefined;
    },
  };
}

const ofPasswords = (mechanism: string): boolean => mechanism !== '' && mechanism !== BEARER;
const ofEndpoint = (mechanism: string, env: NodeJS.ProcessEnv): boolean =>
  mechanism === BEARER && Boolean(env.KAFKA_OAUTH_TOKEN_URL);

const saslMechanism: Variable<Mechanism | ''> = {
  name: 'KAFKA_SASL_MECHANISM',
  description: `how the services log in; ${NEEDS_TLS.map(each => `\`${each}\``).join(' and ')} send a secret that others could read, and need \`KAFKA_TLS=true\``,
  expected: `one of ${MECHANISMS.join(', ')}`,
  unset: 'no login',
  required: false,
  parse(value = '', env) {
    if (value === '') return value;
    const found = MECHANISMS.find(each => each === value);
    if (!found) throw new Error(`must be ${saslMechanism.expected}`);
    if (NEEDS_TLS.includes(found) && env.KAFKA_TLS !== 'true')
      throw new Error(`is ${found}, which sends a secret that others could read: set KAFKA_TLS=true`);
    return found;
  },
};

const tokenFile: Variable<string> = {
  name: 'KAFKA_OAUTH_TOKEN_FILE',
  description:
    'a file with a token for OAUTHBEARER that another program renews, such as a projected service account token; or set `KAFKA_OAUTH_TOKEN_URL`',
  expected: 'the path of a file',
  required: false,
  parse(value = '', env) {
    const byEndpoint = Boolean(env.KAFKA_OAUTH_TOKEN_URL);
    if (env.KAFKA_SASL_MECHANISM === BEARER && Boolean(value) === byEndpoint)
      throw new Error(`and KAFKA_OAUTH_TOKEN_URL: set one of them, which KAFKA_SASL_MECHANISM=${BEARER} needs`);
    const fault = value && withoutBearer(env);
    if (fault) throw new Error(fault);
    return value;
  },
};

const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]']);

const tokenUrl: Variable<string> = {
  name: 'KAFKA_OAUTH_TOKEN_URL',
  description:
    'the endpoint that issues tokens for OAUTHBEARER (OAuth 2, client credentials); each token is used until a minute before it expires',
  expected: 'an https address without a user (http for this machine alone)',
  required: false,
  parse(value = '', env) {
    if (value === '') return value;
    const fault = withoutBearer(env);
    if (fault) throw new Error(fault);
    const parsed = URL.canParse(value) ? new URL(value) : undefined;
    const isSafe = parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && LOCAL.has(parsed.hostname));
    if (!isSafe || parsed.username || parsed.password) throw new Error(`must be ${tokenUrl.expected}`);
    return value;
  },
};

// With three replicas, an acknowledged record survives the loss of a broker, and writes continue while one broker is down.
const copiesFor = (replication: number): number => (replication >= 3 ? 2 : -1);
const leastCopies = (fallback: number): Variable<number> =>
  integer(
    'KAFKA_MIN_INSYNC_REPLICAS',
    '`min.insync.replicas` of the topics that a migration creates, and the minimum for existing topics',
    {
      default: fallback,
      unset: "2 where `KAFKA_REPLICATION` is 3 or more, otherwise the brokers' own",
      min: -1,
      max: 9,
    },
  );

/** -1 means the broker's default, unless `KAFKA_REPLICATION` is 3 or more. */
const minInsyncReplicas: Variable<number> = {
  ...leastCopies(-1),
  parse(value, env) {
    const replication = Number(env.KAFKA_REPLICATION || -1);
    const least = leastCopies(copiesFor(replication)).parse(value, env);
    if (replication > 0 && least > replication)
      throw new Error(`must not be more than KAFKA_REPLICATION, which is ${replication}: nothing could be written`);
    return least;
  },
};

const ofBrokers = "this service's certificate, if the brokers require one";
const replicas =
  'replicas of the topics that a migration creates; services and migrations do not start while a topic has fewer';

/**
 * Settings of every service that uses Kafka. The numbers of partitions and replicas apply to new topics. For existing
 * topics they are the minimum.
 */
export const kafkaVariables = {
  kafkaBrokers: list('KAFKA_BROKERS', 'the brokers to contact first', {
    item: {
      pattern: new RegExp(`^(?:[^\\s:/]+|\\[[\\da-f:]+\\]):${PORT}$`, 'i'),
      expected: 'host:port, the port from 1 to 65535',
    },
  }),
  kafkaTopicPrefix: text('KAFKA_TOPIC_PREFIX', 'the prefix of each topic and group name', {
    default: '',
    pattern: /^[\w.-]{0,200}$/,
    expected: 'at most 200 letters, digits, “.”, “_” and “-”',
  }),
  kafkaPartitions: integer(
    'KAFKA_PARTITIONS',
    'partitions of each topic after a migration; a topic that has more keeps them',
    {
      default: 6,
      min: 1,
      max: 1000,
    },
  ),
  kafkaReplication: integer('KAFKA_REPLICATION', replicas, {
    default: -1,
    unset: "the brokers' own",
    min: -1,
    max: 9,
  }),
  kafkaMinInsyncReplicas: minInsyncReplicas,
  kafkaTls: flag('KAFKA_TLS', 'whether TLS is on'),
  kafkaCaFile: certificateFile('KAFKA_CA_FILE', 'the certificate authorities for the brokers', withoutTls),
  kafkaCertFile: certificateFile('KAFKA_CERT_FILE', ofBrokers, withoutTls),
  kafkaKeyFile: keyFile('KAFKA_KEY_FILE', 'its key', 'KAFKA_CERT_FILE', withoutTls),
  kafkaSaslMechanism: saslMechanism,
  kafkaUsername: ofMechanism(text('KAFKA_USERNAME', 'the user name of the services for SCRAM and PLAIN'), ofPasswords),
  kafkaPassword: ofMechanism(secret('KAFKA_PASSWORD', 'the password of that user'), ofPasswords),
  kafkaOauthTokenFile: tokenFile,
  kafkaOauthTokenUrl: tokenUrl,
  kafkaOauthClientId: ofMechanism(
    text('KAFKA_OAUTH_CLIENT_ID', 'the client id of the services at that endpoint'),
    ofEndpoint,
  ),
  kafkaOauthClientSecret: ofMechanism(secret('KAFKA_OAUTH_CLIENT_SECRET', 'the secret of that client'), ofEndpoint),
  kafkaOauthScope: optionalText('KAFKA_OAUTH_SCOPE', 'the scope to request there'),
  kafkaOauthCaFile: certificateFile(
    'KAFKA_OAUTH_CA_FILE',
    'the certificate authorities for that endpoint',
    withoutBearer,
  ),
};

/** The Kafka slice of a service's configuration. */
export type KafkaSettings = Values<typeof kafkaVariables>;
