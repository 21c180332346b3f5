import { flag, integer, list, optionalText, secret, text, type Values } from './config.ts';
import { certificateFile, keyFile, type Misplaced } from './tls-files.ts';
import type { Variable } from './variable.ts';

/** How a client of Kafka shows who it is. */
export const MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const;
export type Mechanism = (typeof MECHANISMS)[number];

const BEARER = 'OAUTHBEARER';
// They send what anyone could use who reads it.
const NEEDS_TLS: readonly string[] = ['PLAIN', BEARER];

const withoutTls: Misplaced = env =>
  env.KAFKA_TLS === 'true' ? undefined : 'is set, but KAFKA_TLS is not true: set it, or unset this';
const withoutBearer: Misplaced = env =>
  env.KAFKA_SASL_MECHANISM === BEARER ? undefined : `is set, but KAFKA_SASL_MECHANISM is not ${BEARER}`;

/** A variable that exactly those mechanisms need for which `needed` is true. */
function ofMechanism<T>(
  of: Variable<T>,
  needed: (mechanism: string, env: NodeJS.ProcessEnv) => boolean,
): Variable<T | undefined> {
  return {
    name: of.name,
    required: false,
    parse(value, env) {
      const mechanism = env.KAFKA_SASL_MECHANISM ?? '';
      const isSet = value !== undefined || Boolean(env[`${of.name}_FILE`]);
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
  required: false,
  parse(value = '', env) {
    if (value === '') return value;
    const found = MECHANISMS.find(each => each === value);
    if (!found) throw new Error(`must be one of ${MECHANISMS.join(', ')}`);
    if (NEEDS_TLS.includes(found) && env.KAFKA_TLS !== 'true')
      throw new Error(`is ${found}, which sends a secret that others could read: set KAFKA_TLS=true`);
    return found;
  },
};

const tokenFile: Variable<string> = {
  name: 'KAFKA_OAUTH_TOKEN_FILE',
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
  required: false,
  parse(value = '', env) {
    if (value === '') return value;
    const fault = withoutBearer(env);
    if (fault) throw new Error(fault);
    const parsed = URL.canParse(value) ? new URL(value) : undefined;
    const isSafe = parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && LOCAL.has(parsed.hostname));
    if (!isSafe || parsed.username || parsed.password)
      throw new Error('must be an https address without a user (http for this machine alone)');
    return value;
  },
};

// With three copies, a record that is acknowledged outlives a broker, and a broker that is away keeps nobody from writing.
const copiesFor = (replication: number): number => (replication >= 3 ? 2 : -1);

/** -1: the broker's own, unless `KAFKA_REPLICATION` is 3 or more. */
const minInsyncReplicas: Variable<number> = {
  name: 'KAFKA_MIN_INSYNC_REPLICAS',
  required: false,
  parse(value, env) {
    const replication = Number(env.KAFKA_REPLICATION || -1);
    const least = integer('', { default: copiesFor(replication), min: -1, max: 9 }).parse(value, env);
    if (replication > 0 && least > replication)
      throw new Error(`must not be more than KAFKA_REPLICATION, which is ${replication}: nothing could be written`);
    return least;
  },
};

/** Of every service that uses Kafka. Partitions and replicas are for topics that do not exist yet, and the least of those that do. */
export const kafkaVariables = {
  kafkaBrokers: list('KAFKA_BROKERS', {
    item: { pattern: /^[^\s:/]+:\d{1,5}$|^\[[\da-f:]+\]:\d{1,5}$/i, describe: 'host:port' },
  }),
  kafkaTopicPrefix: text('KAFKA_TOPIC_PREFIX', { default: '' }),
  kafkaPartitions: integer('KAFKA_PARTITIONS', { default: 6, min: 1, max: 1000 }),
  kafkaReplication: integer('KAFKA_REPLICATION', { default: -1, min: -1, max: 9 }),
  kafkaMinInsyncReplicas: minInsyncReplicas,
  kafkaTls: flag('KAFKA_TLS'),
  kafkaCaFile: certificateFile('KAFKA_CA_FILE', withoutTls),
  kafkaCertFile: certificateFile('KAFKA_CERT_FILE', withoutTls),
  kafkaKeyFile: keyFile('KAFKA_KEY_FILE', 'KAFKA_CERT_FILE', withoutTls),
  kafkaSaslMechanism: saslMechanism,
  kafkaUsername: ofMechanism(text('KAFKA_USERNAME'), ofPasswords),
  kafkaPassword: ofMechanism(secret('KAFKA_PASSWORD'), ofPasswords),
  kafkaOauthTokenFile: tokenFile,
  kafkaOauthTokenUrl: tokenUrl,
  kafkaOauthClientId: ofMechanism(text('KAFKA_OAUTH_CLIENT_ID'), ofEndpoint),
  kafkaOauthClientSecret: ofMechanism(secret('KAFKA_OAUTH_CLIENT_SECRET'), ofEndpoint),
  kafkaOauthScope: optionalText('KAFKA_OAUTH_SCOPE'),
  kafkaOauthCaFile: certificateFile('KAFKA_OAUTH_CA_FILE', withoutBearer),
};

/** The Kafka slice of a service's configuration. */
export type KafkaSettings = Values<typeof kafkaVariables>;
