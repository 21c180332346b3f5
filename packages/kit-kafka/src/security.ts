import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { StartError } from '@recording-request/kit/config';
import { causes, tlsContext, tlsFault } from '@recording-request/kit/tls-files';
import type { ISocketFactory, KafkaConfig, Mechanism, SASLOptions } from 'kafkajs';
import { bearer } from './bearer.ts';
import { TokenRefusedError, tokenSource } from './token.ts';
import type { KafkaSettings } from './variables.ts';

const KEEP_ALIVE_MS = 60_000;

/** Returns the TLS and SASL options of a client. Files are read again for each connection. */
export function kafkaSecurity(settings: KafkaSettings): Pick<KafkaConfig, 'ssl' | 'sasl' | 'socketFactory'> {
  const sasl = saslOf(settings);
  return { ...(settings.kafkaTls && overTls(settings)), ...(sasl && { sasl }) };
}

function overTls(settings: KafkaSettings): Pick<KafkaConfig, 'ssl' | 'socketFactory'> {
  const context = tlsContext({
    ca: settings.kafkaCaFile,
    cert: settings.kafkaCertFile,
    key: settings.kafkaKeyFile,
  });
  // kafkajs reads its options only once, so a renewed certificate would need a restart.
  const socketFactory: ISocketFactory = ({ host, port, onConnect }) => {
    const name = isIP(host) ? {} : { servername: host };
    const socket = connect({ host, port, ...name, secureContext: context() }, onConnect);
    return socket.setKeepAlive(true, KEEP_ALIVE_MS);
  };
  return { ssl: true, socketFactory };
}

function saslOf(settings: KafkaSettings): SASLOptions | Mechanism | undefined {
  const { kafkaSaslMechanism: mechanism, kafkaUsername: username = '', kafkaPassword: password } = settings;
  if (mechanism === '') return undefined;
  if (mechanism === 'OAUTHBEARER') return bearer(tokenSource(settings), refusedLogin(settings));
  const name = mechanism.toLowerCase() as 'plain' | 'scram-sha-256' | 'scram-sha-512';
  const login = {
    mechanism: name,
    username,
    // kafkajs reads this property at each login, so a renewed file takes effect.
    get password() {
      return password?.() ?? '';
    },
  };
  return login as SASLOptions;
}

// kafkajs throws the same class, without a cause, for a refused login and for a broker that did not answer.
const UNANSWERED = / failed: (Request .* timed out|Closed connection|Connection (error|timeout|closed)|Not connected)/;
const NOT_ALLOWED = /^(TOPIC|CLUSTER|GROUP)_AUTHORIZATION_FAILED$/;

/** Returns the fault that an operator must fix before Kafka can be used; undefined for a temporary error. */
export function kafkaFault(error: unknown, settings: KafkaSettings): StartError | undefined {
  const sentence = sentenceOf(error, settings);
  return sentence === undefined ? undefined : new StartError(sentence);
}

function sentenceOf(error: unknown, settings: KafkaSettings): string | undefined {
  const { kafkaSaslMechanism: mechanism, kafkaTopicPrefix: prefix } = settings;
  for (const each of causes(error)) {
    const { name, type = '' } = each as { name?: string; type?: string };
    if (each instanceof TokenRefusedError) return each.message;
    if (type === 'UNSUPPORTED_SASL_MECHANISM' || /mechanism is not supported/.test(String((each as Error).message)))
      return `The listener of Kafka in KAFKA_BROKERS does not take KAFKA_SASL_MECHANISM=${mechanism}.`;
    if (type === 'ILLEGAL_SASL_STATE')
      return 'The listener of Kafka in KAFKA_BROKERS takes no SASL: name another one, or unset KAFKA_SASL_MECHANISM.';
    // The broker's own message is omitted, because it may repeat the credentials.
    const isAnswered = !UNANSWERED.test((each as Error).message);
    if ((name === 'KafkaJSSASLAuthenticationError' && isAnswered) || type === 'SASL_AUTHENTICATION_FAILED')
      return refusedLogin(settings);
    if (NOT_ALLOWED.test(type))
      return `Kafka does not allow KAFKA_USERNAME what it needs (${type}): on topics that begin with "${prefix}" a service needs Describe, DescribeConfigs, Read and Write, with Read on such groups, and a migration Create, Alter, Describe and DescribeConfigs.`;
  }
  return tlsFault(error, 'Kafka', settings.kafkaCaFile ? 'KAFKA_CA_FILE' : 'Node’s own list: set KAFKA_CA_FILE');
}

function refusedLogin({ kafkaSaslMechanism, kafkaUsername, kafkaOauthTokenFile }: KafkaSettings): string {
  if (kafkaSaslMechanism !== 'OAUTHBEARER')
    return `Kafka does not accept the password of ${kafkaUsername} (${kafkaSaslMechanism}): look at KAFKA_USERNAME and KAFKA_PASSWORD.`;
  const from = kafkaOauthTokenFile ? 'in KAFKA_OAUTH_TOKEN_FILE' : 'that KAFKA_OAUTH_TOKEN_URL gives';
  return `Kafka does not accept the token ${from} (OAUTHBEARER).`;
}
